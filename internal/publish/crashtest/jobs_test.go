package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/fetch/fetchtest"
	"belfry/internal/mail"
	"belfry/internal/mail/mailtest"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	"belfry/internal/network/meta/metasim"
	"belfry/internal/queue"
	"belfry/jobs"
)

// jobCases prepare one job of each kind. They return what tells its effect.
var jobCases = map[string]func(*world) (effect func() string){
	"link":    func(w *world) func() string { return w.prepareLive("Threads text", `external_url <> ''`) },
	"finish":  func(w *world) func() string { return w.prepareLive("YouTube video", `true`) },
	"refresh": prepareRefresh,
	"check":   prepareCheck,
	"revoke":  prepareRevoke,
	"erase":   prepareErase,
	"discard": prepareDiscard,
	"mail": func(w *world) func() string {
		return w.describeMail(func() { w.made++; w.ws.Invite(fmt.Sprintf("guest%d@example.org", w.made), core.RoleEditor) })
	},
	"password_reset": func(w *world) func() string {
		return w.describeMail(func() {
			must(w.t, w.App.RequestPasswordReset(w.Context(), w.ws.Email, app.Browser{AddressKey: "somebody"}))
		})
	},
	"process": func(w *world) func() string {
		return w.describeFile(func() contract.Media { return w.ws.Upload("bell.jpg", mediatest.JPEG(640, 480)) })
	},
	"fetch": func(w *world) func() string {
		return w.describeFile(func() contract.Media {
			made, err := w.App.AddMediaForDownload(w.Context(), w.ws.Owner, contract.MediaFromURL{URL: "https://example.com/bell.jpg"})
			must(w.t, err)
			return made
		})
	},
}

// Every kind of job has the effect of one run when it runs twice, at once, or again after its worker was killed.
func TestAJobThatRunsTwiceHasTheEffectOfOnce(t *testing.T) {
	for _, handler := range jobs.Handlers(nil) {
		t.Run(handler.Kind, func(t *testing.T) {
			t.Parallel()
			prepare, ok := jobCases[handler.Kind]
			if !ok {
				t.Fatalf("there is no case for jobs of the kind %s", handler.Kind)
			}
			letters := mailtest.New(t)
			w := newWorld(t, fetchBell(t), func(c *app.Config) {
				sender, err := mail.NewSender(letters.URL(), "Belfry <belfry@example.org>")
				must(t, err)
				c.Mail = sender
			})
			w.letters = letters
			w.ws.Account("facebook") // the first of a workspace is not special
			want, boundaries := w.runJob(handler.Kind, prepare, func(run func(acts map[int]act) int) int { return run(nil) })
			check := func(how string, runs func(run func(map[int]act) int) int) {
				t.Helper()
				if got, _ := w.runJob(handler.Kind, prepare, runs); got != want {
					t.Errorf("%s: %s, want %s", how, got, want)
				}
			}
			check("twice", func(run func(map[int]act) int) int { return run(nil) + run(nil) })
			check("at once", func(run func(map[int]act) int) int {
				var both sync.WaitGroup
				for range 2 {
					both.Go(func() { run(nil) })
				}
				both.Wait()
				return 0
			})
			ks := sample(boundaries, lossNone)
			for _, k := range ks {
				check(fmt.Sprintf("killed at boundary %d", k), func(run func(map[int]act) int) int {
					return run(map[int]act{k: killLife})
				})
			}
			t.Logf("%s: %s; killed at %d of %d boundaries", handler.Kind, want, len(ks), boundaries)
		})
	}
}

// runJob prepares a job, lets it run as runs says and then twice more, as River and the sweeps would, and returns its
// effect.
func (w *world) runJob(
	kind string, prepare func(*world) func() string, runs func(run func(map[int]act) int) int,
) (effect string, boundaries int) {
	w.t.Helper()
	tell := prepare(w)
	var arguments []byte
	must(w.t, w.Pool.QueryRow(w.Context(),
		`SELECT args FROM river_job WHERE kind = $1 ORDER BY id DESC LIMIT 1`, kind).Scan(&arguments))
	var starting sync.Mutex
	run := func(acts map[int]act) int {
		starting.Lock()
		l := w.startLife(acts)
		starting.Unlock()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, handler := range jobs.Handlers(l.app) {
				if handler.Kind == kind {
					_ = handler.Do(context.Background(), arguments) // an error is what the next run is for
				}
			}
		}()
		select {
		case <-done:
		case <-l.died: // it may try in vain for minutes to store a token
		}
		n := l.countPassed()
		w.endLife(l)
		return n
	}
	boundaries = runs(run)
	for range 2 {
		w.moveTo(w.Clock.Now().Add(10 * time.Minute))
		run(nil)
	}
	return tell(), boundaries
}

// enqueue stores a job as a periodic task does.
func (w *world) enqueue(job queue.Job) {
	w.t.Helper()
	arguments, err := json.Marshal(job)
	must(w.t, err)
	_, err = w.Pool.Exec(w.Context(), `INSERT INTO river_job (kind, args, max_attempts, queue) VALUES ($1, $2, 1, 'chore')`,
		job.Kind(), arguments)
	must(w.t, err)
}

// describeRow returns what an expression says of a row.
func (w *world) describeRow(expression, table string, id any) string {
	w.t.Helper()
	var text string
	must(w.t, w.Pool.QueryRow(w.Context(), `SELECT concat_ws(' ', `+expression+`) FROM `+table+` WHERE id = $1`, id).Scan(&text))
	return text
}

func (w *world) prepareLive(kind, expression string) func() string {
	w.t.Helper()
	for _, k := range apptest.Kinds() {
		if k.Name != kind {
			continue
		}
		p := w.makePost(k, w.connectAccount(k.Network), now())
		l := w.startLife(nil)
		w.runUntil(l, w.Clock.Now().Add(time.Minute), func() {})
		w.endLife(l)
		return func() string {
			o := w.readOutcome(p)
			return fmt.Sprintf("%+v %s", o, w.describeRow(expression, "posts", p.id))
		}
	}
	w.t.Fatalf("there is no kind of post named %s", kind)
	return nil
}

// describeMail calls ask, and then tells how many letters were sent since, each counted once, how many wait to be sent,
// and how many links for choosing a new password there are.
func (w *world) describeMail(ask func()) func() string {
	w.t.Helper()
	w.moveTo(w.Clock.Now().Add(2 * time.Hour)) // nobody may ask too often
	_, err := w.Pool.Exec(w.Context(), `WITH links AS (DELETE FROM password_resets) DELETE FROM mails`)
	must(w.t, err)
	before := len(w.letters.Received())
	ask()
	return func() string {
		sent := map[string]bool{}
		for _, letter := range w.letters.Received()[before:] {
			sent[letter.Header.Get("Message-Id")] = true
		}
		var waiting, links int
		must(w.t, w.Pool.QueryRow(w.Context(),
			`SELECT (SELECT count(*) FROM mails), (SELECT count(*) FROM password_resets)`).Scan(&waiting, &links))
		return fmt.Sprintf("%d letters sent, %d wait, %d links", len(sent), waiting, links)
	}
}

func prepareRefresh(w *world) func() string {
	id := w.ws.AccountID(w.connectAccount("threads"))
	w.moveTo(w.Clock.Now().Add(25 * time.Hour)) // a younger token is not renewed
	_, err := w.Pool.Exec(w.Context(), `UPDATE accounts SET token_refresh_at = clock() WHERE id = $1`, id)
	must(w.t, err)
	w.enqueue(queue.Refresh{Workspace: w.ws.ID, Account: id})
	return func() string {
		return w.describeRow(`status, token_refresh_at > clock() + interval '1 day', token_failing_since, token_claimed_until`,
			"accounts", id)
	}
}

func prepareCheck(w *world) func() string {
	id := w.ws.AccountID(w.connectAccount("threads"))
	w.moveTo(w.Clock.Now().Add(25 * time.Hour))
	w.enqueue(queue.Check{Workspace: w.ws.ID, Account: id})
	return func() string { return w.describeRow(`status, check_at > clock()`, "accounts", id) }
}

func prepareRevoke(w *world) func() string {
	account := w.connectAccount("tiktok")
	must(w.t, w.App.DisconnectAccount(w.Context(), w.ws.Owner, account.ID))
	return func() string {
		var open int
		must(w.t, w.Pool.QueryRow(w.Context(), `SELECT count(*) FROM revocations WHERE length(token) > 0`).Scan(&open))
		return fmt.Sprintf("%d grants are left", open)
	}
}

func prepareErase(w *world) func() string {
	w.connectAccount("facebook")
	const person = "10160384756102938" // to whom all simulated Pages belong
	form := url.Values{"signed_request": {metasim.SignedRequest(w.Sim, person)}}
	_, err := w.App.VerifyCallbackAndUpdateAccounts(w.Context(), "facebook",
		network.Callback{Event: "data-deletion", Body: []byte(form.Encode())})
	must(w.t, err)
	return func() string {
		var accounts, wishes int
		must(w.t, w.Pool.QueryRow(w.Context(), `SELECT
			(SELECT count(*) FROM accounts WHERE platform = 'facebook' AND username || avatar_url <> ''),
			(SELECT count(*) FROM erasures WHERE done_at IS NULL)`).Scan(&accounts, &wishes))
		return fmt.Sprintf("%d accounts and %d wishes are left", accounts, wishes)
	}
}

func prepareDiscard(w *world) func() string {
	before := w.countBlobs()
	file := w.ws.File("bell.jpg", mediatest.JPEG(640, 480))
	must(w.t, w.App.DeleteMedia(w.Context(), w.ws.Owner, file.ID))
	return func() string { return fmt.Sprintf("%d files are left", w.countBlobs()-before) }
}

func (w *world) countBlobs() (n int) {
	w.t.Helper()
	must(w.t, w.Config.Blobs.Each(w.Context(), "", "", func(string, int64, time.Time) error {
		n++
		return nil
	}))
	return n
}

// describeFile tells what became of a file, and what it counts in the workspace's storage.
func (w *world) describeFile(bring func() contract.Media) func() string {
	w.t.Helper()
	charged := func() (bytes int64) {
		must(w.t, w.Pool.QueryRow(w.Context(), `SELECT coalesce(sum(used), 0) FROM usage_storage`).Scan(&bytes))
		return bytes
	}
	before := charged()
	file := bring()
	return func() string {
		m := w.ws.Media(file.ID)
		return fmt.Sprintf("%s, %d bytes, %d counted", m.Status, m.Size, charged()-before)
	}
}

// fetchBell is an internet that holds one picture.
func fetchBell(t *testing.T) func(*app.Config) {
	picture := mediatest.JPEG(640, 480)
	internet := fetchtest.New(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/jpeg")
		_, _ = w.Write(picture)
	})
	return func(c *app.Config) {
		c.Fetch = fetch.New(fetch.Config{
			Lookup: internet.Lookup, Dial: internet.Dial, Roots: internet.Roots(), DelayUnit: time.Millisecond,
		})
	}
}
