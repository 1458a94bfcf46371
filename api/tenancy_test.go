package api_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

// TestIDOfAnotherWorkspaceIsAnsweredLikeAnUnknownID asks for everything that has an id, once with the other workspace's
// and once with ids that never were (Spec §1). It fails for a route with an id that it does not know.
func TestIDOfAnotherWorkspaceIsAnsweredLikeAnUnknownID(t *testing.T) {
	t.Parallel()
	r := open(t)
	mine, other := r.Workspace("mine"), r.Workspace("other")
	account := other.Account("threads")
	ids := map[string]string{
		"posts":    other.Queued("theirs", account, apptest.Start().Add(time.Hour)).ID,
		"groups":   other.Group("theirs", account).ID,
		"accounts": account.ID, "keys": other.Key(core.Read).ID, "folders": other.Folder("theirs", "").ID,
		"media": r.reserve(other.Owner).MediaID, "members": other.Invite("theirs@example.net", core.RoleViewer).ID,
	}
	bodies := map[string]string{
		"PATCH /posts/{id}": `{"text":"mine now"}`, "PATCH /groups/{id}": `{"name":"mine now"}`,
		"PATCH /folders/{id}": `{"name":"mine now"}`, "PATCH /media/{id}": `{"title":"mine now"}`,
		"PATCH /members/{id}": `{"role":"viewer"}`,
	}
	never := map[string][]string{
		"posts": {
			core.NewID[core.PostKind]().String(), "post_", "x", account.ID, "%00", "..%2Fkeys",
			strings.Repeat("a", 5000),
		},
		"groups":   {core.NewID[core.GroupKind]().String(), "grp_1", account.ID},
		"folders":  {core.NewID[core.FolderKind]().String(), "fld_1", account.ID},
		"media":    {core.NewID[core.MediaKind]().String(), "med_1", account.ID},
		"accounts": {core.NewID[core.AccountKind]().String(), "acc_1", ids["posts"]},
		"members":  {core.NewID[core.UserKind]().String(), "usr_1", other.Owner.User().String(), ids["posts"]},
		"keys":     {core.NewID[core.KeyKind]().String(), "key_1", ids["posts"]},
	}
	owner := r.signedIn(mine.Owner)
	for _, route := range idRoutes(t) {
		method, path, _ := strings.Cut(route, " ")
		noun := strings.Split(path, "/")[1]
		ask := func(id string) answer {
			return r.do(method, "/v1"+strings.Replace(path, "{id}", id, 1), bodies[route], owner)
		}
		theirs := ask(ids[noun])
		theirs.want(t, 404, core.CodeNotFound)
		for _, id := range never[noun] {
			if got := ask(id); got.Status != theirs.Status || string(got.Body) != string(theirs.Body) {
				t.Errorf("%s with %.60q: want %s, got %d: %s", route, id, theirs.Body, got.Status, got.Body)
			}
		}
	}
	for theirs, none := range map[string]string{
		`"accountIds":["` + account.ID + `"]`: `"accountIds":["` + core.NewID[core.AccountKind]().String() + `"]`,
		`"groupId":"` + ids["groups"] + `"`:   `"groupId":"` + core.NewID[core.GroupKind]().String() + `"`,
	} {
		create := func(target string) answer {
			return r.do("POST", "/v1/posts", `{"targets":{`+target+`},"text":"x","confirm":true}`, owner)
		}
		want := create(none)
		want.want(t, 404, core.CodeNotFound)
		if got := create(theirs); string(got.Body) != string(want.Body) {
			t.Errorf("%s: %s", theirs, got.Body)
		}
	}
	if got := r.do("POST", "/v1/groups", `{"name":"a","accountIds":["`+account.ID+`"]}`, owner); got.Status != 404 {
		t.Errorf("a group of another's account: %d %s", got.Status, got.Body)
	}
}

// idRoutes reads the routes with an id off the description.
func idRoutes(t *testing.T) []string {
	t.Helper()
	var out []string
	for path, item := range document(t).Paths {
		if strings.Contains(path, "{id}") {
			for method := range item {
				out = append(out, strings.ToUpper(method)+" "+path)
			}
		}
	}
	if len(out) < 10 {
		t.Fatalf("the description names %d routes with an id", len(out))
	}
	return out
}
