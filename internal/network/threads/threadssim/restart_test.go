package threadssim_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"testing"

	"belfry/internal/network/sim"
)

func TestARestartForgetsNothing(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "new", "sandbox.jsonl")
	r := startAt(t, journal)
	token, spent := r.token("a.newcomer"), r.code("harbour.bakery", allScopes)
	unused := r.code("harbour.bakery", allScopes)
	r.post("/oauth/access_token", "", exchange(spent)).text("access_token")
	waiting := r.post("/v1.0/me/threads", token, words("still to come")).text("id")
	live := r.publish(token, "here to stay")
	gone := r.publish(token, "deleted")
	r.call("DELETE", graph+"/v1.0/"+gone, token, nil)
	dead := r.token("maren.writes")
	if _, err := r.kit.Faults.Add(sim.Fault{Call: "profile", Kind: sim.TokenRevoked}); err != nil {
		t.Fatal(err)
	}
	r.get("/v1.0/me", dead).refused("190", "458", "not authorized")
	before := r.kit.Posts.All()
	if err := r.kit.Close(); err != nil {
		t.Fatal(err)
	}

	again := startAt(t, journal)
	if after := again.kit.Posts.All(); !reflect.DeepEqual(after, before) || len(after) != 1 {
		t.Errorf("visible posts changed:\n%+v\n%+v", before, after)
	}
	if a := again.get("/v1.0/me?fields=username", token); a.text("username") != "a.newcomer" {
		t.Errorf("profile %s", a.body)
	}
	again.get("/v1.0/me", dead).refused("190", "458", "")
	if a := again.post("/oauth/access_token", "", exchange(spent)); a.status != http.StatusBadRequest {
		t.Errorf("a spent code works again: %s", a.body)
	}
	again.post("/oauth/access_token", "", exchange(unused)).text("access_token")
	if a := again.get("/v1.0/"+live+"?fields=text", token); a.text("text") != "here to stay" {
		t.Errorf("post %s", a.body)
	}
	again.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {waiting}}).text("id")
	again.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {waiting}}).refused("24", "4279009", "")
	if got := len(again.kit.Posts.All()); got != 2 {
		t.Errorf("%d posts, want 2", got)
	}
	if err := again.kit.ResetPosts(); err != nil {
		t.Fatal(err)
	}
	if err := again.kit.Close(); err != nil {
		t.Fatal(err)
	}
	third := startAt(t, journal)
	if got := third.kit.Posts.All(); len(got) != 0 {
		t.Errorf("posts came back after a reset: %v", got)
	}
	if a := third.get("/v1.0/me", token); a.status != http.StatusOK {
		t.Errorf("the reset cost the token: %s", a.body)
	}
}

func TestMediaIsFetchedAfterARestart(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "sandbox.jsonl")
	r := startAt(t, journal)
	token := r.token("harbour.bakery")
	id := r.post("/v1.0/me/threads", token, url.Values{
		"media_type": {"IMAGE"}, "image_url": {mediaHost(t) + "/good.png"},
	}).text("id")
	if err := r.kit.Close(); err != nil { // usually in the middle of the download
		t.Fatal(err)
	}
	again := startAt(t, journal)
	if a := again.settled(token, id); a.text("status") != "FINISHED" {
		t.Errorf("container %s", a.body)
	}
}

func TestFaultsHaveTheNetworksWords(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		fault         sim.Fault
		status        int
		code, subcode string
	}{
		"reject":              {sim.Fault{Kind: sim.Reject}, 400, "100", ""},
		"documented error":    {sim.Fault{Kind: sim.Error, Code: 2207051, Status: 403, Message: "spam"}, 403, "2207051", ""},
		"error with subcode":  {sim.Fault{Kind: sim.Error, Code: 190, Subcode: 460}, 400, "190", "460"},
		"throttled":           {sim.Fault{Kind: sim.RateLimited, RetryAfter: 7}, 429, "4", ""},
		"server error":        {sim.Fault{Kind: sim.ServerError}, 500, "2", ""},
		"token expired":       {sim.Fault{Kind: sim.TokenExpired}, 401, "190", "463"},
		"token revoked":       {sim.Fault{Kind: sim.TokenRevoked}, 401, "190", "458"},
		"race after finished": {sim.Fault{Kind: sim.NotReadyRace}, 400, "24", "4279009"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			token := r.token("harbour.bakery")
			id := r.post("/v1.0/me/threads", token, words("hello")).text("id")
			c.fault.Network, c.fault.Call = "threads", "publish"
			if _, err := r.kit.Faults.Add(c.fault); err != nil {
				t.Fatal(err)
			}
			creation := url.Values{"creation_id": {id}}
			a := r.post("/v1.0/me/threads_publish", token, creation)
			a.refused(c.code, c.subcode, c.fault.Message)
			if a.status != c.status {
				t.Errorf("status %d, want %d", a.status, c.status)
			}
			if c.fault.RetryAfter > 0 && a.header.Get("Retry-After") != "7" {
				t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
			}
			if got := len(r.kit.Posts.All()); got != 0 {
				t.Errorf("%d posts are visible after a refusal", got)
			}
			again := r.post("/v1.0/me/threads_publish", token, creation)
			died := c.fault.Kind == sim.TokenExpired || c.fault.Kind == sim.TokenRevoked
			if died != (again.status == http.StatusUnauthorized) || died == (again.status == http.StatusOK) {
				t.Errorf("the call after the fault answered %d %s", again.status, again.body)
			}
		})
	}
}

func TestAnErrorMayHideAPostThatWentLive(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	id := r.post("/v1.0/me/threads", token, words("hello")).text("id")
	if _, err := r.kit.Faults.Add(sim.Fault{Call: "publish", Kind: sim.Error, Code: 4, Subcode: 2207051, Accept: true}); err != nil {
		t.Fatal(err)
	}
	r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {id}}).refused("4", "2207051", "")
	if a := r.get("/v1.0/"+id+"?fields=status", token); a.text("status") != "PUBLISHED" || len(r.kit.Posts.All()) != 1 {
		t.Errorf("container %s, posts %v", a.body, r.kit.Posts.All())
	}
}

func TestNeverReady(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	if _, err := r.kit.Faults.Add(
		sim.Fault{Call: "create", Kind: sim.NeverReady, Match: "stuck"},
		sim.Fault{Call: "status", Kind: sim.NeverReady, Match: "late"},
	); err != nil {
		t.Fatal(err)
	}
	stuck := r.post("/v1.0/me/threads", token, words("stuck")).text("id")
	late := r.post("/v1.0/me/threads", token, words("late")).text("id")
	state := func(id string) string { return r.get("/v1.0/"+id+"?fields=status", token).text("status") }
	if got := state(late) + " " + state(late); got != "IN_PROGRESS FINISHED" {
		t.Errorf("a late container is %s", got)
	}
	if got := state(stuck) + " " + state(stuck); got != "IN_PROGRESS IN_PROGRESS" {
		t.Errorf("a stuck container is %s", got)
	}
	r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {stuck}}).refused("9007", "2207027", "")
	r.clock.forward(day)
	if got := state(stuck); got != "EXPIRED" {
		t.Errorf("after a day it is %s", got)
	}
}
