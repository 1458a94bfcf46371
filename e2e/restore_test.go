package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Review §5.1 and proof R15: of 200 posts that went live after the backup, a restored service sends none again.
func TestARestoredServiceSendsNothingThatWentLiveAfterItsBackup(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t, fastSettings())
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	platforms := []string{"threads", "facebook"}
	const posts = 200
	ids := make([]string, posts)
	for i := range ids {
		ids[i] = c.createPost(fmt.Sprintf("restore drill %03d", i), inDays(1), seed.Accounts[platforms[i%2]]).ID
	}
	unsent := c.createPost("Due during the hold", inDays(1), seed.Accounts["threads"]).ID
	file := filepath.Join(newFolderForPostgres(t), "belfry.backup")
	requireCommand(t, s.env, "", "backup", file)

	sent := map[string]string{} // the network's id of each post
	for _, id := range ids {
		c.do("PATCH", "/posts/"+id, fields{"when": "now"}).requireStatus(t, 200)
	}
	for _, id := range ids {
		c.waitForStatus(id, "live", 60*time.Second)
		sent[id] = *c.getPost(id).ExternalID
	}
	visible := len(s.visiblePosts())
	s.process.requireStop(t)
	said := requireCommand(t, s.env, "", "restore", file)
	if !strings.Contains(said, "belfry restore confirm") {
		t.Errorf("restore says %s", said)
	}

	s.serveUntilReady()
	if now := c.getPost(ids[0]); now.Status != "queued" {
		t.Fatalf("the restored database has the post as %s", now.Status)
	}
	c.do("PATCH", "/posts/"+unsent, fields{"when": "now"}).requireStatus(t, 200)
	found, _, err := runCommand(t, s.env, "", "doctor")
	if err == nil || !strings.Contains(found, "belfry restore confirm") {
		t.Errorf("doctor says of the hold: %v %s", err, found)
	}
	for _, want := range []string{"publishing is on hold", ids[0]} {
		if !strings.Contains(s.process.log.String(), want) {
			t.Errorf("the log does not name %s", want)
		}
	}
	told := requireCommand(t, s.env, "", "restore", "confirm")
	if !strings.Contains(told, "200") {
		t.Errorf("restore confirm says %s", told)
	}
	c.waitForStatus(unsent, "live", 60*time.Second)
	for _, id := range ids {
		now := c.getPost(id)
		if now.Status != "live" || now.ExternalID == nil || *now.ExternalID != sent[id] {
			t.Fatalf("after the confirmation the post is %+v, want live as %s", now, sent[id])
		}
		eventually(t, 30*time.Second, "the post has its link", func() bool { return c.getPost(id).ExternalURL != nil })
	}
	if now := len(s.visiblePosts()); now != visible+1 {
		t.Errorf("the networks show %d posts, want %d and the one that was due", now, visible)
	}
	texts := map[string]int{}
	for _, p := range s.visiblePosts() {
		texts[p.Text]++
	}
	for i := range ids {
		if n := texts[fmt.Sprintf("restore drill %03d", i)]; n != 1 {
			t.Errorf("post %d is visible %d times", i, n)
		}
	}
	s.process.requireStop(t)
	s.serveUntilReady() // a second start holds nothing
	defer s.process.requireStop(t)
	again := c.createPost("After the hold", "now", seed.Accounts["threads"]).ID
	c.waitForStatus(again, "live", 20*time.Second)
	if slices.ContainsFunc(strings.Split(s.process.log.String(), "\n"), func(line string) bool {
		return strings.Contains(line, "publishing is on hold")
	}) {
		t.Error("the start after the confirmation holds publishing again")
	}
}

// The whole server is lost, and the database and the file storage come from the same backup: no receipt tells of the
// post that was published after it.
func TestOnAnotherServerAPostWithoutAReceiptIsNotPublishedUnasked(t *testing.T) {
	t.Parallel()
	first, second := newStandaloneService(t, fastSettings()), newStandaloneService(t, fastSettings())
	first.serveUntilReady()
	seed := first.seedWorkspace()
	c := first.newClient(seed.Key)
	c.waitForStatus(c.createPost("Before the backup", "now", seed.Accounts["threads"]).ID, "live", 20*time.Second)
	first.process.requireStop(t)
	first.process = first.startRole("web")
	first.process.waitUntilAlive(t)
	post := c.createPost("On its way", "now", seed.Accounts["threads"]).ID
	file := filepath.Join(newFolderForPostgres(t), "belfry.backup")
	requireCommand(t, first.env, "", "backup", file)
	from, to := first.env["DATA_DIR"], second.env["DATA_DIR"]
	if err := os.CopyFS(filepath.Join(to, "media"), os.DirFS(filepath.Join(from, "media"))); err != nil {
		t.Fatal(err)
	}
	keys, err := os.ReadFile(filepath.Join(from, "secret.keys"))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "secret.keys"), keys, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	first.process.requireStop(t)
	first.serveUntilReady()
	c.waitForStatus(post, "live", 20*time.Second)
	first.process.requireStop(t)

	requireCommand(t, second.env, "", "restore", file)
	second.serveUntilReady()
	defer second.process.requireStop(t)
	if _, errs, err := runCommand(t, second.env, "", "restore", "confirm"); err == nil || !strings.Contains(errs, post) ||
		!strings.Contains(errs, "--unproved=draft") {
		t.Errorf("restore confirm says %v %s", err, errs)
	}
	requireCommand(t, second.env, "", "restore", "confirm", "--unproved=draft")
	c = second.newClient(seed.Key)
	if now := c.getPost(post); now.Status != "draft" {
		t.Errorf("after the confirmation the post is %+v", now)
	}
}
