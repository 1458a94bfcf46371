package link

import "testing"

func TestAddresses(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"/posts":                                Posts(Filter{}),
		"/posts?cursor=a%26b&q=a+b&status=live": Posts(Filter{Status: "live", Query: "a b", Cursor: "a&b"}),
		"/posts/:id":                            Post(":id"),
		"/posts/post_1/edit/plan":               EditPlan("post_1"),
		"/posts/..%2F..%2Fsign-out/cancel":      Cancel("../../sign-out"),
		"/posts/post_1?seen=live-1":             PostSince("post_1", "live-1"),
		"/accounts/connect/threads":             Connect("threads"),
		"/accounts/callback/:platform":          ConnectCallback(":platform"),
		"/accounts/acc_1/reconnect":             Reconnect("acc_1"),
		"/settings/keys/key_1/revoke":           RevokeKey("key_1"),
		"/sign-in":                              SignInFor(""),
		"/sign-in?next=%2Fposts%3Fq%3Da":        SignInFor("/posts?q=a"),
	} {
		if got != want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
}
