package web

import "testing"

const aPost = "post_01kbmx0q7ze6fsyqbrm4f2w9ta"

func TestOnlyPagesOfOursAreLedBackTo(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"/posts": "/posts", "/posts?status=live&q=a+b": "/posts?q=a+b&status=live", "/compose": "/compose",
		"/compose?account=acc_1": "/compose?account=acc_1", "/accounts": "/accounts", "/settings/keys": "/settings/keys",
		"/posts/" + aPost: "/posts/" + aPost, "/posts/" + aPost + "/edit": "/posts/" + aPost + "/edit",
		"/posts#top": "/posts", "/w/bell/posts?q=a": "/w/bell/posts?q=a", "/w/bell/posts/" + aPost: "/w/bell/posts/" + aPost,
		"/w/be ll/posts": "",

		"": "", "/": "", "posts": "", "https://evil.example/posts": "", "//evil.example/posts": "", "///evil.example": "",
		`/\evil.example`: "", `\\evil.example`: "", "/%2Fevil.example": "", "/%2e%2e/posts": "", "/posts/%2e%2e/accounts": "",
		"/posts/../accounts": "", "/posts%2F" + aPost: "", "/posts/" + aPost + "%2Fedit": "", "/posts/" + aPost +
			"/delete": "",
		"/posts/": "", "/posts/nothing": "", "/posts//edit": "", "javascript:alert(1)": "", "/sign-out": "", "/v1/posts": "",
		"/accounts/connect/threads": "", "/posts\r\nSet-Cookie: a=b": "", "/posts\x00": "", "http:/posts": "",
		"//user@localhost/posts": "",
		"/w/bell":                "", "/w/bell/": "", "/w//posts": "", "/w/bell/sign-out": "", "/w/a/w/b/posts": "", "/w/bell//evil.example": "",
		"/sandbox/_/": "", "@evil.example": "", "/posts/" + aPost + "/edit/edit": "",
	} {
		if got := safeReturnURL(said); got != want {
			t.Errorf("%q: want %q, got %q", said, want, got)
		}
	}
}
