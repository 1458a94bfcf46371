package link

import "testing"

func TestAddresses(t *testing.T) {
	t.Parallel()
	bell, last := Workspace("bell-rope"), Workspace("")
	for want, got := range map[string]string{
		"/w/bell-rope":       bell.At(""),
		"/w/bell-rope/posts": bell.Home(),
		"/w/bell-rope/posts?cursor=a%26b&q=a+b&status=live": bell.Posts(Filter{Status: "live", Query: "a b", Cursor: "a&b"}),
		"/w/:workspace/posts/:id":                           Workspace(":workspace").Post(":id"),
		"/posts/post_1/edit/plan":                           last.PlanEditedPost("post_1"),
		"/w/bell-rope/posts/..%2F..%2Fsign-out/cancel":      bell.CancelPost("../../sign-out"),
		"/w/..%2Fsign-out/posts":                            Workspace("../sign-out").CreatePosts(),
		"/posts/post_1?seen=live-1":                         last.PostSince("post_1", "", "live-1"),
		"/w/bell-rope/accounts/connect/threads":             bell.Connect("threads"),
		"/accounts/callback/:platform":                      ConnectCallback(":platform"),
		"/accounts/acc_1/reconnect":                         last.Reconnect("acc_1"),
		"/w/bell-rope/settings/keys/key_1/revoke":           bell.RevokeKey("key_1"),
		"/w/bell-rope/media?kind=video&q=a+b":               bell.Media(MediaFilter{Kind: "video", Query: "a b"}),
		"/w/bell-rope/media?tag=noon&tag=at+dusk":           bell.Media(MediaFilter{Tags: []string{"noon", "at dusk"}}),
		"/w/bell-rope/media/files/med_1?folder=root":        bell.FileInLibrary("med_1", MediaFilter{Folder: RootFolder}),
		"/sign-in":                       SignInFor(""),
		"/sign-in?next=%2Fposts%3Fq%3Da": SignInFor("/posts?q=a"),
	} {
		if got != want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
}

func TestAPathIsSplitIntoWorkspaceAndPage(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][2]string{
		"/w/bell/posts/1": {"bell", "/posts/1"}, "/w/bell/": {"bell", "/"}, "/w/bell": {"bell", ""},
		"/posts": {"", "/posts"}, "/": {"", "/"}, "": {"", ""}, "/w": {"", "/w"}, "/w/": {"", "/w/"},
		"/w//posts": {"", "/w//posts"}, "/world/posts": {"", "/world/posts"},
	} {
		if w, rest := SplitWorkspace(path); string(w) != want[0] || rest != want[1] {
			t.Errorf("%q is split into %q and %q", path, w, rest)
		}
	}
}
