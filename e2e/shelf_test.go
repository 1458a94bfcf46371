package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// shelf is all that a request about files may leave behind, counted.
type shelf struct {
	files, folders int   // rows that the API lists
	jobs           int   // about files, ever enqueued
	used           int64 // bytes, as whoami says
	blobs          int   // on the disk
	unfinished     int   // on the disk, of uploads under way or broken off
}

func (s shelf) plus(d shelf) shelf {
	return shelf{
		s.files + d.files, s.folders + d.folders, s.jobs + d.jobs, s.used + d.used, s.blobs + d.blobs, s.unfinished + d.unfinished,
	}
}

// shelf counts what there is, of the one workspace that a client is for.
func (s *service) shelf(c *client) shelf {
	s.t.Helper()
	got := shelf{files: len(c.listed("/media")), folders: len(c.folders()), jobs: s.fileJobs()}
	var who struct {
		Usage struct {
			Storage struct{ UsedBytes int64 }
		}
	}
	c.read("/whoami", &who)
	got.used = who.Usage.Storage.UsedBytes
	for _, path := range s.blobs() {
		if strings.HasPrefix(path, ".unfinished"+string(filepath.Separator)) {
			got.unfinished++
		} else {
			got.blobs++
		}
	}
	return got
}

// waits is how long the worker may take for what a request has it do.
const waits = 20 * time.Second

// fileJobs counts the jobs about files that were ever enqueued.
func (s *service) fileJobs() (n int) {
	s.t.Helper()
	s.query(`SELECT count(*) FROM river_job WHERE kind IN ('fetch', 'process', 'discard')`, &n)
	return n
}

// query reads one row of the service's database.
func (s *service) query(sql string, into ...any) {
	s.t.Helper()
	db, err := pgx.Connect(s.t.Context(), s.env["DATABASE_URL"])
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close(s.t.Context())
	if err := db.QueryRow(s.t.Context(), sql).Scan(into...); err != nil {
		s.t.Fatal(err)
	}
}

// ledger is all that a request about anything but files may leave behind, counted.
type ledger struct {
	posts, groups, accounts, keys int // rows; of accounts, those that are connected
	slots                         int // of the month
	jobs                          int // posts that were ever queued
	members                       int // who has joined or is invited
}

func (l ledger) plus(d ledger) ledger {
	return ledger{l.posts + d.posts, l.groups + d.groups, l.accounts + d.accounts, l.keys + d.keys, l.slots + d.slots, l.jobs + d.jobs, l.members + d.members}
}

// ledger counts what there is, of all workspaces.
func (s *service) ledger() (l ledger) {
	s.t.Helper()
	s.query(`SELECT (SELECT count(*) FROM posts), (SELECT count(*) FROM groups), (SELECT count(*) FROM accounts WHERE disconnected_at IS NULL),
		(SELECT count(*) FROM api_keys), (SELECT coalesce(sum(used), 0) FROM usage_month), (SELECT count(*) FROM post_slots),
		(SELECT count(*) FROM members) + (SELECT count(*) FROM invitations)`,
		&l.posts, &l.groups, &l.accounts, &l.keys, &l.slots, &l.jobs, &l.members)
	return l
}

// blobs are the paths of the files of the storage.
func (s *service) blobs() (paths []string) {
	s.t.Helper()
	root := filepath.Join(s.env["DATA_DIR"], "media")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, strings.TrimPrefix(path, root+string(filepath.Separator)))
		}
		return gone(err)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return paths
}

// sum is the hash of a file of the storage.
func (s *service) sum(path string) [32]byte {
	s.t.Helper()
	file, err := os.Open(filepath.Join(s.env["DATA_DIR"], "media", path))
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		s.t.Fatal(err)
	}
	return [32]byte(sum.Sum(nil))
}

// gone leaves out what went to its place, or was deleted, while the folder was looked at.
func gone(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// file is a row of the library.
type file struct {
	ID, Kind, OriginalName, Mime, Status     string
	FailReason, FolderID, Title, Description *string
	ThumbnailURL                             *string
	Size                                     int64
	Width, Height, DurationMs                *int64
	Tags                                     []string
	Pinned                                   bool
}

// read reads an answer that is a good one.
func (c *client) read(path string, into any) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.do("GET", path, nil).want(c.t, 200).Raw), into); err != nil {
		c.t.Fatal(err)
	}
}

// listed are all files of a list, page by page.
func (c *client) listed(path string) (all []file) {
	c.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for next := path; ; {
		var page struct {
			Media      []file
			NextCursor *string
		}
		c.read(next, &page)
		all = append(all, page.Media...)
		if page.NextCursor == nil {
			return all
		}
		next = path + separator + "cursor=" + *page.NextCursor
	}
}

type folder struct {
	ID, Name string
	ParentID *string
}

func (c *client) folders() []folder {
	c.t.Helper()
	var list struct{ Folders []folder }
	c.read("/folders", &list)
	return list.Folders
}

func (c *client) file(id string) (f file) {
	c.t.Helper()
	c.read("/media/"+id, &f)
	return f
}

// upload is a reservation.
type upload struct{ MediaID, UploadURL string }

// reserve makes room for a file.
func (c *client) reserve(name string, size int) (u upload) {
	c.t.Helper()
	a := c.do("POST", "/media/uploads", fields{"filename": name, "mime": "application/octet-stream", "size": size}).want(c.t, 201)
	if err := json.Unmarshal([]byte(a.Raw), &u); err != nil {
		c.t.Fatal(err)
	}
	return u
}

// bring reserves room for a file and puts its bytes there.
func (c *client) bring(name string, content []byte) upload {
	c.t.Helper()
	u := c.reserve(name, len(content))
	if status, _, raw := send(c.t, http.MethodPut, u.UploadURL, nil, string(content)); status != http.StatusOK {
		c.t.Fatalf("PUT of %s answers %d: %s", name, status, raw)
	}
	return u
}

// settled waits until a file is ready or failed.
func (c *client) settled(t testing.TB, id string) (f file) {
	t.Helper()
	eventually(t, 60*time.Second, "the file is ready or failed", func() bool {
		f = c.file(id)
		return f.Status == "ready" || f.Status == "failed"
	})
	return f
}

// library is a service with one workspace that has nothing in it, on the given plan.
func library(t testing.TB, plan string, settings ...map[string]string) (*service, *client) {
	t.Helper()
	s := newService(t, settings...)
	s.serve()
	mustCommand(t, s.env, "a password of some length\n", "workspace", "create", "--name", "Library", "--slug", "library",
		"--owner-email", "ada@example.com", "--password-stdin", "--plan", plan)
	return s, s.client(s.key("library", "write"))
}

// key makes a key of a workspace, called by its scope.
func (s *service) key(workspace, scope string) string {
	s.t.Helper()
	return strings.TrimSpace(mustCommand(s.t, s.env, "", "key", "create", "--workspace", workspace, "--name", scope, "--scope", scope))
}
