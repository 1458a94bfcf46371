package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Parts ("Commands"): they work while `serve` runs and while it does not.
func TestOperatorCommandsManageWorkspacesKeysAndMembers(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	for _, running := range []bool{false, true} {
		name := map[bool]string{false: "stopped", true: "running"}[running]
		if running {
			s.serveUntilReady()
		}
		run := func(stdin string, args ...string) string {
			t.Helper()
			return requireCommand(t, s.env, stdin, args...)
		}
		run("", "migrate")
		made := strings.Fields(run("a long enough password\n", "workspace", "create",
			"--name", "Bakery "+name, "--slug", "bakery-"+name, "--tz", "Europe/Berlin",
			"--plan", "creator", "--owner-email", name+"@example.org", "--password-stdin"))
		if len(made) != 2 || !strings.HasPrefix(made[0], "ws_") || made[1] != "bakery-"+name {
			t.Fatalf("workspace create prints %q", made)
		}
		if list := run("", "workspace", "list"); !strings.Contains(list, made[1]+" "+made[0]+" creator Bakery "+name+"\n") {
			t.Errorf("workspace list prints %s", list)
		}
		run("", "workspace", "plan", "--workspace", made[1], "--plan", "studio")
		key := strings.TrimSpace(run("", "key", "create", "--workspace", made[0], "--name", "By id", "--scope", "write"))
		if !strings.HasPrefix(key, "belfry_live_") || strings.Contains(key, "\n") {
			t.Errorf("key create prints %q, want the key alone", key)
		}
		run("another long password\n", "user", "password", "--email", name+"@example.org", "--password-stdin")
		first, second := s.seedWorkspace(), s.seedWorkspace()
		if first.Workspace == second.Workspace || len(first.Accounts) != 5 || first.Key == "" || first.Password == "" {
			t.Errorf("two seeds print %+v and %+v", first, second)
		}
		if out := run("", "config"); !strings.Contains(out, "BELFRY_DATA_DIR") {
			t.Errorf("config prints %s", out)
		}
		if out := run("", "version"); strings.TrimSpace(out) == "" {
			t.Error("version prints nothing")
		}
		if out := run("", "doctor"); !strings.Contains(out, "fsync on") ||
			strings.Contains(out, "in use by the running service") != running {
			t.Errorf("doctor prints %s", out)
		}
		if _, errs, err := runCommand(t, s.env, "", "healthcheck"); (err == nil) != running {
			t.Errorf("healthcheck while the service is %s: %v %s", name, err, errs)
		}
		if running {
			who := s.newClient(key).do("GET", "/whoami", nil).requireStatus(t, 200).Raw
			if !strings.Contains(who, `"plan":"studio"`) || !strings.Contains(who, made[0]) {
				t.Errorf("whoami says %s", who)
			}
			s.signIn(seedResult{Email: name + "@example.org", Password: "another long password"})
			s.signIn(seedResult{Email: "stopped@example.org", Password: "another long password"})
			checkPostInEveryState(t, s, second)
		}
	}
	s.process.requireStop(t)
	for _, args := range [][]string{
		{"nonsense"}, {"workspace", "create"}, {"key", "create", "--workspace", "nobody", "--name", "x"}, {"serve", "now"},
	} {
		if _, errs, err := runCommand(t, s.env, "", args...); err == nil || errs == "" {
			t.Errorf("belfry %v succeeds, or says nothing", args)
		}
	}
}

// checkPostInEveryState fails the test unless a seeded workspace has one post in each state, at each network.
func checkPostInEveryState(t *testing.T, s *service, seed seedResult) {
	t.Helper()
	found := map[[2]string]int{}
	for _, p := range s.newClient(seed.Key).do("GET", "/posts", nil).requireStatus(t, 200).Posts {
		found[[2]string{p.Platform, p.Status}]++
	}
	if doubtful := [2]string{"facebook", "queued"}; found[doubtful] == 2 { // its refused post is not called failed yet
		found[doubtful]--
		found[[2]string{"facebook", "failed"}]++
	}
	for platform := range seed.Accounts {
		for _, status := range []string{"draft", "queued", "live", "failed"} {
			if found[[2]string{platform, status}] != 1 {
				t.Errorf("the seed has %d %s posts at %s, want one", found[[2]string{platform, status}], status, platform)
			}
		}
	}
}

// Parts ("Commands"): backup and restore, while the service runs and after it has stopped.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	kept := c.createPost("In the backup", "draft", seed.Accounts["threads"])
	file := filepath.Join(newFolderForPostgres(t), "belfry.backup")
	again := c.createPost("Queued in the backup", inDays(2), seed.Accounts["threads"])
	media := "in the folder " + filepath.Join(s.env["DATA_DIR"], "media") + ":"
	if said := requireCommand(t, s.env, "", "backup", file); !strings.Contains(said, media) {
		t.Errorf("the backup does not say that the media files are %s %s", media, said)
	}
	if _, errs, err := runCommand(t, s.env, "", "backup", file); err == nil || !strings.Contains(errs, "--force") {
		t.Errorf("a backup replaces a file without a word: %v %s", err, errs)
	}
	requireCommand(t, s.env, "", "backup", "--force", file)
	lost := c.createPost("After the backup", "draft", seed.Accounts["threads"])
	if _, errs, err := runCommand(t, s.env, "", "restore", file); err == nil || !strings.Contains(errs, "belfry serve") {
		t.Errorf("restore while the service runs: %v %s", err, errs)
	}
	c.do("GET", "/posts/"+lost.ID, nil).requireStatus(t, 200)
	s.process.requireStop(t)
	said := requireCommand(t, s.env, "", "restore", file)
	if !strings.Contains(said, "belfry restore confirm") || !strings.Contains(said, "/posts?status=queued") {
		t.Errorf("restore says %s", said)
	}
	s.process = s.startRole("web")
	s.process.waitUntilAlive(t)
	c.do("PATCH", "/posts/"+again.ID, fields{"when": "now"}).requireStatus(t, 200)
	c.do("POST", "/posts/"+again.ID+"/cancel", nil).requireStatus(t, 200)
	s.process.requireStop(t)
	s.serveUntilReady()
	c.do("GET", "/posts/"+lost.ID, nil).requireStatus(t, 404)
	if now := c.getPost(kept.ID); now.Text != "In the backup" {
		t.Errorf("after the restore the post is %+v", now)
	}
	c.do("PATCH", "/posts/"+kept.ID, fields{"when": "now", "status": "queued"}).requireStatus(t, 200)
	c.waitForStatus(kept.ID, "live", 20*time.Second)
	s.process.requireStop(t)

	second := filepath.Join(filepath.Dir(file), "stopped.backup")
	requireCommand(t, s.env, "", "backup", second)
	if _, _, err := runCommand(t, s.env, "", "restore", writeFile(t, "no backup")); err == nil {
		t.Error("a file that is no backup is restored")
	}
	requireCommand(t, s.env, "", "restore", second)
	s.serveUntilReady()
	defer s.process.requireStop(t)
	if now := c.getPost(kept.ID); now.Status != "live" {
		t.Errorf("after the second restore the post is %+v", now)
	}
	if raw, err := json.Marshal(s.visiblePosts()); err != nil || strings.Count(string(raw), "In the backup") != 1 {
		t.Errorf("the networks show %s, %v", raw, err)
	}
}
