package sandbox_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"belfry/internal/sandbox"
)

// Two profiles sent every permission twice, and no profile sent none.
func TestAConsentPageIsFilledInForAllNames(t *testing.T) {
	t.Parallel()
	const form = `<form action="/decide"><input type="hidden" name="state" value="s">
		<fieldset>
			<label><input type="checkbox" name="page" value="1" checked><strong>One</strong></label>
			<label><input type="checkbox" name="page" value="2"><strong>Two</strong></label>
			<label><input type="checkbox" name="page" value="3"><strong>Three</strong></label>
			<input type="text" name="newPage">
		</fieldset>
		<fieldset>
			<input type="checkbox" name="grant" value="read" checked>
			<input type="checkbox" name="grant" value="write" checked>
		</fieldset>
	</form>`
	sent := make(chan url.Values, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, form)
			return
		}
		_ = r.ParseForm()
		sent <- r.PostForm
		http.Redirect(w, r, callback, http.StatusFound)
	}))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		names []string
		want  url.Values // nil if these names are refused
	}{
		{nil, nil},
		{[]string{""}, url.Values{"page": {"1"}}},
		{[]string{"Two"}, url.Values{"page": {"2"}}},
		{[]string{"One", "Three"}, url.Values{"page": {"1", "3"}}},
		{[]string{"Two", "Four"}, url.Values{"page": {"2"}, "newPage": {"Four"}}},
		{[]string{"Four", "Five"}, nil},
	} {
		page, err := sandbox.OpenConsentPage(t.Context(), server.URL)
		if err != nil {
			t.Fatal(err)
		}
		err = page.ChooseOrEnterProfiles(c.names)
		if err != nil || c.want == nil {
			if (err == nil) != (c.want != nil) {
				t.Errorf("%q: %v", c.names, err)
			}
			continue
		}
		if _, err := page.Submit(t.Context(), server.URL, sandbox.Allow); err != nil {
			t.Fatal(err)
		}
		c.want["state"], c.want["grant"], c.want["decision"] = []string{"s"}, []string{"read", "write"}, []string{"allow"}
		if got := <-sent; !maps.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%q sends %v, want %v", c.names, got, c.want)
		}
	}
}
