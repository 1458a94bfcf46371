package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing/iotest"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/queue"
)

// errand is one operation under way: where, through which process, by what luck.
type errand struct {
	*city
	ctx    context.Context
	random *rand.Rand
	app    *app.App
	at     *house
}

// operation is something that is done at random, so often among the others, and the documented ways for it to
// fail. work is what the service does by itself.
type operation struct {
	name   string
	weight int
	work   bool
	do     func(*errand) error
	fails  []core.Code
}

func (o operation) may(code core.Code) bool { return slices.Contains(o.fails, code) }

// kinds are all operations there are.
func kinds() []operation {
	const (
		conflict, absent, quota = core.CodeConflict, core.CodeNotFound, core.CodeQuotaExceeded
		issues, purged          = core.CodePlanHasIssues, core.CodeMediaPurged
	)
	return []operation{
		{name: "create", weight: 220, do: (*errand).create, fails: []core.Code{quota, issues, purged, absent}},
		{name: "cancel", weight: 110, do: (*errand).cancel, fails: []core.Code{conflict, absent}},
		{
			name: "retry", weight: 90, do: (*errand).retry,
			fails: []core.Code{conflict, absent, core.CodeOutcomeUnknown, issues, purged},
		},
		{name: "reschedule", weight: 90, do: (*errand).reschedule, fails: []core.Code{conflict, absent, issues}},
		{name: "queue a draft", weight: 90, do: (*errand).queue, fails: []core.Code{conflict, absent, quota, issues, purged}},
		{name: "other files", weight: 30, do: (*errand).otherFiles, fails: []core.Code{conflict, absent, purged}},
		{name: "duplicate", weight: 60, do: (*errand).duplicate, fails: []core.Code{absent}},
		{name: "delete a post", weight: 60, do: (*errand).deletePost, fails: []core.Code{conflict, absent}},
		{name: "reserve", weight: 100, do: (*errand).reserve, fails: []core.Code{quota}},
		{name: "bring", weight: 120, do: (*errand).bring, fails: []core.Code{
			core.CodeAlreadyUploaded, core.CodeUploadInProgress, core.CodeUploadExpired, absent,
		}},
		{name: "break off", weight: 30, do: (*errand).breakOff, fails: []core.Code{
			core.CodeAlreadyUploaded, core.CodeUploadInProgress, core.CodeUploadExpired, absent,
		}},
		{name: "delete a file", weight: 60, do: (*errand).deleteFile, fails: []core.Code{conflict, absent}},
		{name: "pin", weight: 10, do: (*errand).pin, fails: []core.Code{absent}},
		{name: "change the plan", weight: 2, do: (*errand).changePlan},
		{name: "disconnect", weight: 5, do: (*errand).disconnect, fails: []core.Code{conflict, absent}},
		{name: "let time pass", weight: 10, do: (*errand).letTimePass},
		{name: "work", weight: 200, work: true, do: (*errand).work},
		{name: "publish", weight: 240, work: true, do: (*errand).publish},
		{name: "sweep files", weight: 20, work: true, do: func(e *errand) error { return e.app.Intake().RequeueOrFailStalledFiles(e.ctx) }},
		{name: "purge", weight: 10, work: true, do: func(e *errand) error {
			return errors.Join(e.app.Intake().PurgeFilesPastRetention(e.ctx), e.app.Intake().DeleteRowsOfDeletedFiles(e.ctx))
		}},
	}
}

func draw(random *rand.Rand) operation {
	all, sum := kinds(), 0
	for _, o := range all {
		sum += o.weight
	}
	at := random.IntN(sum)
	for _, o := range all {
		if at -= o.weight; at < 0 {
			return o
		}
	}
	panic("the weights do not add up")
}

// errIdle tells that there was nothing yet that the operation could be done to.
var errIdle = errors.New("there is nothing to do it to")

func (e *errand) chance(percent int) bool { return e.random.IntN(100) < percent }

func (e *errand) text() string { return fmt.Sprintf("Text %x", e.random.Uint64()) }

// known is how many posts and files of a workspace the people in it remember.
const known = 300

func remember[T any](e *errand, list *[]T, more ...T) {
	e.at.mu.Lock()
	defer e.at.mu.Unlock()
	*list = append(*list, more...)
	*list = (*list)[max(0, len(*list)-known):]
}

// pick draws one of a list, mostly a late one, so that many meet at it.
func pick[T any](e *errand, list *[]T) (one T, ok bool) {
	e.at.mu.Lock()
	defer e.at.mu.Unlock()
	n := len(*list)
	if n == 0 {
		return one, false
	}
	if e.chance(80) {
		n = min(n, 12)
	}
	return (*list)[len(*list)-1-e.random.IntN(n)], true
}

// withPost runs f on a post, where there is one.
func (e *errand) withPost(f func(id string) (contract.Post, error)) error {
	id, ok := pick(e, &e.at.posts)
	if !ok {
		return errIdle
	}
	_, err := f(id)
	return err
}

func (e *errand) edit(in contract.EditPost) error {
	return e.withPost(func(id string) (contract.Post, error) {
		in.ID = id
		return e.app.EditPost(e.ctx, e.at.ws.Owner, in)
	})
}

// later is a time within the next days.
func (e *errand) later() contract.When {
	return local(e.Clock.Now().Add(time.Duration(1+e.random.IntN(3*24*60))*time.Minute).Format("2006-01-02T15:04"), "UTC")
}

func (e *errand) someFiles() []string {
	ids := []string{}
	if id, ok := pick(e, &e.at.files); ok && e.chance(30) {
		ids = append(ids, id)
	}
	return ids
}

func (e *errand) create() error {
	when := []contract.When{now(), now(), e.later(), e.later(), draft()}[e.random.IntN(5)]
	accounts := e.at.accounts
	if e.chance(70) {
		accounts = accounts[e.random.IntN(2):][:1]
	}
	in := request(e.text(), when, accounts...)
	in.MediaIDs = e.someFiles()
	made, err := e.app.CreatePosts(e.ctx, e.at.ws.Owner, in)
	for _, post := range made.Posts {
		remember(e, &e.at.posts, post.ID)
	}
	return err
}

func (e *errand) cancel() error {
	if e.chance(30) {
		return e.edit(contract.EditPost{When: new(draft())})
	}
	return e.withPost(func(id string) (contract.Post, error) { return e.app.CancelPost(e.ctx, e.at.ws.Owner, id) })
}

func (e *errand) retry() error {
	return e.withPost(func(id string) (contract.Post, error) {
		return e.app.RetryPost(e.ctx, e.at.ws.Owner, contract.RetryPost{ID: id})
	})
}

func (e *errand) reschedule() error { return e.edit(contract.EditPost{When: new(e.later())}) }

func (e *errand) queue() error {
	when := e.later()
	if e.chance(50) {
		when = now()
	}
	return e.edit(contract.EditPost{When: &when, Status: "queued"})
}

func (e *errand) otherFiles() error {
	files := e.someFiles()
	return e.edit(contract.EditPost{MediaIDs: &files})
}

// duplicate gives the copy a text of its own, so that a text never stands at a network twice by right.
func (e *errand) duplicate() error {
	return e.withPost(func(id string) (contract.Post, error) {
		made, err := e.app.DuplicatePost(e.ctx, e.at.ws.Owner, id)
		if err != nil {
			return made, err
		}
		text := e.text()
		made, err = e.app.EditPost(e.ctx, e.at.ws.Owner, contract.EditPost{ID: made.ID, Text: &text})
		if err != nil {
			return made, errors.New("change the copy's text: " + err.Error()) // which nothing may hinder
		}
		remember(e, &e.at.posts, made.ID)
		return made, nil
	})
}

func (e *errand) deletePost() error {
	return e.withPost(func(id string) (contract.Post, error) {
		return contract.Post{}, e.app.DeletePost(e.ctx, e.at.ws.Owner, id)
	})
}

func (e *errand) reserve() error {
	content := e.pictures[e.random.IntN(len(e.pictures))]
	if e.chance(20) {
		content = bytes.Repeat([]byte("no picture"), 1+e.random.IntN(100))
	}
	made, err := e.app.ReserveUpload(e.ctx, e.at.ws.Owner, upload(int64(len(content))))
	if err == nil {
		remember(e, &e.at.files, made.MediaID)
		remember(e, &e.at.uploads, reservation{made, content})
	}
	return err
}

func (e *errand) receive(of func([]byte) io.Reader) error {
	r, ok := pick(e, &e.at.uploads)
	if !ok {
		return errIdle
	}
	_, err := e.app.Intake().ReceiveUpload(e.ctx, token(r.Upload), int64(len(r.content)), of(r.content))
	if code := core.CodeOf(err); code == core.CodeUploadExpired || code == core.CodeNotFound {
		e.at.mu.Lock()
		defer e.at.mu.Unlock()
		e.at.uploads = slices.DeleteFunc(e.at.uploads, func(u reservation) bool { return u.MediaID == r.MediaID })
	}
	return err
}

func (e *errand) bring() error {
	return e.receive(func(content []byte) io.Reader { return bytes.NewReader(content) })
}

func (e *errand) breakOff() error {
	err := e.receive(func(content []byte) io.Reader {
		return io.MultiReader(bytes.NewReader(content[:len(content)/2]), iotest.ErrReader(io.ErrUnexpectedEOF))
	})
	switch {
	case err == nil:
		return errors.New("half a file was taken")
	case core.CodeOf(err) == core.CodeInvalidRequest:
		return nil
	}
	return err
}

func (e *errand) deleteFile() error {
	id, ok := pick(e, &e.at.files)
	if !ok {
		return errIdle
	}
	return e.app.DeleteMedia(e.ctx, e.at.ws.Owner, id)
}

func (e *errand) pin() error {
	id, ok := pick(e, &e.at.files)
	if !ok {
		return errIdle
	}
	_, err := e.app.EditMedia(e.ctx, e.at.ws.Owner, contract.EditMedia{ID: id, Pinned: new(e.chance(20))})
	return err
}

// changePlan notes the plan ahead of the change: from then on it may be in force.
func (e *errand) changePlan() error {
	plan := []core.PlanName{core.PlanFree, core.PlanCreator, core.PlanStudio, core.PlanAgency}[e.random.IntN(4)]
	remember(e, &e.at.plans, plan)
	return e.app.SetWorkspacePlan(e.ctx, e.at.ws.Slug, plan)
}

func (e *errand) disconnect() error {
	return e.app.DisconnectAccount(e.ctx, e.at.ws.Owner, e.at.accounts[e.random.IntN(2)].ID)
}

// letTimePass is a few minutes mostly, and days now and then, so that reservations and months end.
func (e *errand) letTimePass() error {
	e.sending.Lock()
	defer e.sending.Unlock()
	minutes := 1 + e.random.IntN(90)
	if e.chance(30) {
		minutes = e.random.IntN(4 * 24 * 60)
	}
	e.Clock.Advance(time.Duration(minutes) * time.Minute)
	return nil
}

// publish sends a few of the posts that are due.
func (e *errand) publish() error {
	e.sending.RLock()
	defer e.sending.RUnlock()
	_, err := e.publishDue(4)
	return err
}

func (e *errand) publishDue(most int) (int, error) {
	type due struct {
		Workspace core.WorkspaceID
		Post      core.PostID
	}
	rows, err := e.Pool.Query(e.ctx, `SELECT workspace_id, post_id FROM publications
		WHERE next_action_at <= clock() AND (lease_until IS NULL OR lease_until < clock()) ORDER BY next_action_at LIMIT $1`,
		most)
	if err != nil {
		return 0, err
	}
	posts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[due])
	for _, p := range posts {
		err = errors.Join(err, e.app.Engine().PublishOrPrepare(e.ctx, "a worker", p.Workspace, p.Post))
	}
	return len(posts), err
}

// work takes a few jobs, whether their time has come or not, and does them. A job that was too early is lost,
// as jobs are now and then.
func (e *errand) work() error {
	_, err := e.workOn(4)
	return err
}

func (e *errand) workOn(most int) (n int, err error) {
	rows, err := e.Pool.Query(e.ctx, `
		DELETE FROM river_job WHERE id IN (SELECT id FROM river_job ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING kind, args`, most)
	if err != nil {
		return 0, err
	}
	type job struct {
		Kind string
		Args json.RawMessage
	}
	jobs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job])
	for _, j := range jobs {
		err = errors.Join(err, e.workAt(j.Kind, j.Args))
	}
	return len(jobs), err
}

func (e *errand) workAt(kind string, args json.RawMessage) error {
	var process queue.Process
	var discard queue.DeleteBlobs
	switch kind {
	case process.Kind():
		return errors.Join(json.Unmarshal(args, &process),
			e.app.Intake().ClaimAndProcessFile(e.ctx, process.Workspace, process.Media))
	case discard.Kind():
		return errors.Join(json.Unmarshal(args, &discard), e.app.Intake().DeleteUnreferencedBlobsAndJPEGs(e.ctx, discard.Keys))
	}
	return nil // the address of a live post's page touches nothing that counts
}
