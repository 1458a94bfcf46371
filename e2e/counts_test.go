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

// fileCounts counts everything that a request about files may leave behind.
type fileCounts struct {
	files, folders int   // rows that the API lists
	jobs           int   // about files, ever enqueued
	used           int64 // bytes, as whoami says
	blobs          int   // on the disk
	unfinished     int   // on the disk, of uploads under way or broken off
}

func (s fileCounts) add(d fileCounts) fileCounts {
	return fileCounts{
		s.files + d.files, s.folders + d.folders, s.jobs + d.jobs, s.used + d.used, s.blobs + d.blobs,
		s.unfinished + d.unfinished,
	}
}

// countFiles counts the files, folders and jobs of the client's workspace.
func (s *service) countFiles(c *client) fileCounts {
	s.t.Helper()
	got := fileCounts{files: len(c.listFiles("/media")), folders: len(c.listFolders()), jobs: s.countFileJobs()}
	var who struct {
		Usage struct {
			Storage struct{ UsedBytes int64 }
		}
	}
	c.getInto("/whoami", &who)
	got.used = who.Usage.Storage.UsedBytes
	for _, path := range s.storedPaths() {
		if strings.HasPrefix(path, ".unfinished"+string(filepath.Separator)) {
			got.unfinished++
		} else if !strings.HasPrefix(path, "avatars"+string(filepath.Separator)) {
			got.blobs++
		}
	}
	return got
}

// workerTimeout is how long the worker may take for a job that a request starts.
const workerTimeout = 20 * time.Second

// countFileJobs counts the jobs about files that were ever enqueued.
func (s *service) countFileJobs() (n int) {
	s.t.Helper()
	s.queryRow(`SELECT count(*) FROM river_job WHERE kind IN ('fetch', 'process', 'discard')`, &n)
	return n
}

// queryRow reads one row of the service's database.
func (s *service) queryRow(sql string, into ...any) {
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

// rowCounts counts everything else that a request may leave behind.
type rowCounts struct {
	posts, groups, accounts, keys int // rows; of accounts, those that are connected
	slots                         int // of the month
	jobs                          int // posts that were ever queued
	members                       int // who has joined or is invited
}

func (l rowCounts) add(d rowCounts) rowCounts {
	return rowCounts{
		l.posts + d.posts, l.groups + d.groups, l.accounts + d.accounts, l.keys + d.keys, l.slots + d.slots,
		l.jobs + d.jobs, l.members + d.members,
	}
}

// countRows counts the rows of all workspaces.
func (s *service) countRows() (l rowCounts) {
	s.t.Helper()
	s.queryRow(`SELECT (SELECT count(*) FROM posts), (SELECT count(*) FROM groups),
		(SELECT count(*) FROM accounts WHERE disconnected_at IS NULL),
		(SELECT count(*) FROM api_keys), (SELECT coalesce(sum(used), 0) FROM usage_month), (SELECT count(*) FROM post_slots),
		(SELECT count(*) FROM members) + (SELECT count(*) FROM invitations)`,
		&l.posts, &l.groups, &l.accounts, &l.keys, &l.slots, &l.jobs, &l.members)
	return l
}

// storedPaths returns the paths of all files in the storage folder but the receipts of published posts.
func (s *service) storedPaths() (paths []string) {
	s.t.Helper()
	root := filepath.Join(s.env["DATA_DIR"], "media")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "receipts" {
			return fs.SkipDir
		}
		if err == nil && !entry.IsDir() {
			paths = append(paths, strings.TrimPrefix(path, root+string(filepath.Separator)))
		}
		return ignoreNotExist(err)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return paths
}

// hashStored returns the SHA-256 of a file in the storage folder, or zeros if the file is gone.
func (s *service) hashStored(path string) [32]byte {
	s.t.Helper()
	file, err := os.Open(filepath.Join(s.env["DATA_DIR"], "media", path))
	if os.IsNotExist(err) {
		return [32]byte{} // deleted since it was listed
	}
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

// ignoreNotExist drops the error of a file that was moved or deleted while its folder was read.
func ignoreNotExist(err error) error {
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

// getInto decodes the answer of a GET, which must be 200.
func (c *client) getInto(path string, into any) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.do("GET", path, nil).requireStatus(c.t, 200).Raw), into); err != nil {
		c.t.Fatal(err)
	}
}

// listFiles returns all files of a list, page by page.
func (c *client) listFiles(path string) (all []file) {
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
		c.getInto(next, &page)
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

func (c *client) listFolders() []folder {
	c.t.Helper()
	var list struct{ Folders []folder }
	c.getInto("/folders", &list)
	return list.Folders
}

func (c *client) getFile(id string) (f file) {
	c.t.Helper()
	c.getInto("/media/"+id, &f)
	return f
}

// upload is a reserved upload.
type upload struct{ MediaID, UploadURL string }

// reserveUpload reserves an upload for a file.
func (c *client) reserveUpload(name string, size int) (u upload) {
	c.t.Helper()
	a := c.do(
		"POST", "/media/uploads", fields{"filename": name, "mime": "application/octet-stream", "size": size},
	).requireStatus(c.t, 201)
	if err := json.Unmarshal([]byte(a.Raw), &u); err != nil {
		c.t.Fatal(err)
	}
	return u
}

// uploadFile reserves an upload for a file and sends its bytes.
func (c *client) uploadFile(name string, content []byte) upload {
	c.t.Helper()
	u := c.reserveUpload(name, len(content))
	if status, _, raw := sendRequest(c.t, http.MethodPut, u.UploadURL, nil, string(content)); status != http.StatusOK {
		c.t.Fatalf("PUT of %s answers %d: %s", name, status, raw)
	}
	return u
}

// waitForFile waits until a file is ready or failed.
func (c *client) waitForFile(t testing.TB, id string) (f file) {
	t.Helper()
	eventually(t, 60*time.Second, "the file is ready or failed", func() bool {
		f = c.getFile(id)
		return f.Status == "ready" || f.Status == "failed"
	})
	return f
}

// newLibrary starts a service with one empty workspace on the given plan, and returns a client for it.
func newLibrary(t testing.TB, plan string, settings ...map[string]string) (*service, *client) {
	t.Helper()
	s := newService(t, settings...)
	s.serveUntilReady()
	requireCommand(t, s.env, "a password of some length\n", "workspace", "create",
		"--name", "Library", "--slug", "library",
		"--owner-email", "ada@example.com", "--password-stdin", "--plan", plan)
	return s, s.newClient(s.createKey("library", "write"))
}

// createKey creates a key of a workspace, named by its scope, and returns the secret.
func (s *service) createKey(workspace, scope string) string {
	s.t.Helper()
	return strings.TrimSpace(
		requireCommand(s.t, s.env, "", "key", "create", "--workspace", workspace, "--name", scope, "--scope", scope),
	)
}
