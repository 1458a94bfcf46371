package publish_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	"belfry/internal/publish"
)

// endless stores files that can be read only in part. Then, reading waits for a signal and fails.
type endless struct {
	blob.Store
	size  int64
	read  chan<- struct{} // receives one for each reader that has begun to wait
	letGo <-chan struct{}
}

func (s endless) Open(ctx context.Context, _ string) (blob.Object, error) {
	return &endlessFile{store: s, ctx: ctx}, nil
}

type endlessFile struct {
	blob.Object

	store endless
	ctx   context.Context
	given int
}

func (f *endlessFile) Size() int64                         { return f.store.size }
func (f *endlessFile) Seek(to int64, _ int) (int64, error) { return to, nil }
func (f *endlessFile) Close() error                        { return nil }

func (f *endlessFile) Read(p []byte) (int, error) {
	if f.given == 1<<20 {
		select {
		case f.store.read <- struct{}{}:
		case <-f.ctx.Done():
		}
	}
	if f.given += min(len(p), 1<<10); f.given <= 1<<20 {
		clear(p)
		return min(len(p), 1<<10), nil
	}
	select {
	case <-time.After(50 * time.Millisecond): // slowly, but so that no connection looks broken
		return copy(p, "."), nil
	case <-f.store.letGo:
	case <-f.ctx.Done():
	}
	return 0, io.ErrUnexpectedEOF
}

// While videos of 2 GB are sent on every slot for preparation, the texts that are due go out as if there were none.
func TestTextsDoNotWaitForLargeVideos(t *testing.T) {
	const slots, texts, accounts, size = 4, 200, 8, 2 << 30
	b := newBench(t)
	reading, letGo := make(chan struct{}), make(chan struct{})
	worker := b.Replica(func(c *app.Config) { // whose calls do not time out here
		c.Blobs, c.Schedule.Lease = endless{c.Blobs, size, reading, letGo}, time.Hour
	})
	video := b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	b.exec(`UPDATE media SET size = $1`, size)
	due := b.Clock.Now().Add(time.Hour).Truncate(time.Minute)
	for i := range slots + 1 {
		in := request(fmt.Sprintf("large %d", i), utc(due.Format("2006-01-02T15:04")), b.ws.Account("youtube"))
		in.Title = "A long ride"
		b.post(in, video)
	}
	texters := make([]contract.Account, accounts)
	for i := range texters {
		texters[i] = b.ws.Account("threads")
	}
	textsDue := utc(due.Add(time.Minute - network.PreparedAhead).Format("2006-01-02T15:04"))
	for i := range texts / accounts {
		b.post(request(fmt.Sprintf("text %d", i), textsDue, texters...))
	}
	b.startWorker(worker, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: texts, Preparing: slots})
	t.Cleanup(func() { close(letGo) })
	b.Clock.Set(due.Add(-network.PreparedAhead))
	for range slots {
		select {
		case <-reading:
		case <-time.After(time.Minute):
			t.Fatal("the videos are not being sent")
		}
	}
	b.Clock.Advance(time.Minute)
	b.Eventually("all texts are live", func() bool { return b.live() == texts })
	var preparing int
	must(t, b.Pool.QueryRow(b.Context(),
		`SELECT count(*) FROM publications WHERE preparing AND lease_until > clock()`).Scan(&preparing))
	if preparing != slots {
		t.Errorf("%d videos are being sent, want %d", preparing, slots)
	}
}
