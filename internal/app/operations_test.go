package app_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
	"belfry/internal/store"
)

// How much happens; tools/prove asks for more. The seed of a run that failed draws the same operations again,
// though not in the same order.
var (
	operations    = flag.Int("operations", 3_000, "how many random operations to carry out")
	operationSeed = flag.Uint64("operations-seed", rand.Uint64(), "where the random operations begin")
)

const (
	operators  = 16
	perBarrier = 1_000
	// gathering is how many operations long people meet at one house.
	gathering = 100
	// stuckAfter is how long an operation may take before it counts as one that waits for itself.
	stuckAfter = 2 * time.Minute
)

// Whatever people and workers do at once: slots and bytes are conserved, no limit is exceeded, nothing goes out
// twice, nothing deadlocks, and nobody sees an error that is not documented.
func TestOperationsAtOnceConserveSlotsAndBytes(t *testing.T) {
	t.Parallel()
	t.Logf("-operations %d -operations-seed %d", *operations, *operationSeed)
	c := newCity(t)
	for done := 0; done < *operations && !t.Failed(); done += perBarrier {
		c.rush(done, min(perBarrier, *operations-done))
		c.inspect()
		c.renew()
	}
	c.drain()
	c.tryAtRest()
	c.drain()
	c.inspect()
	c.nothingLeftOver()
	c.neverDeadlocked()
	c.everythingHappened()
}

// city is where everything happens at once: two processes on one database, and workspaces on small plans.
type city struct {
	*apptest.Harness
	t        *testing.T
	replicas []*app.App
	pools    []*pgxpool.Pool
	houses   []*house
	pictures [][]byte
	// sending is held by workers that send. The clock jumps only while nobody holds it: within a call to a
	// network no lease can end, and a jump would end it.
	sending sync.RWMutex
	mu      sync.Mutex
	drawn   int                          // operations so far
	came    map[string]map[core.Code]int // by operation and by what came of it
}

// house is a workspace and what the people in it know of.
type house struct {
	ws       *apptest.Workspace
	accounts []contract.Account
	mu       sync.Mutex
	posts    []string
	files    []string
	uploads  []reservation
	plans    []core.PlanName // in force since the last barrier
}

// reservation is an upload and the bytes it waits for.
type reservation struct {
	contract.Upload
	content []byte
}

// smallPlans are soon used up.
func smallPlans() core.Plans {
	plans := core.Plans{}
	for name, limits := range map[core.PlanName][2]int64{
		core.PlanFree: {15, 1_000}, core.PlanCreator: {40, 2_500}, core.PlanStudio: {90, 5_000},
		core.PlanAgency: {200, 10_000},
	} {
		plan := core.DefaultPlans()[core.PlanOwner]
		plan.Name, plan.Posts, plan.StorageBytes = name, &limits[0], &limits[1]
		plans[name] = plan
	}
	return plans
}

func newCity(t *testing.T) *city {
	t.Helper()
	h := apptest.New(t, func(c *app.Config) {
		c.Plans, c.UploadTTL, c.Log = smallPlans(), 72*time.Hour, slog.New(slog.DiscardHandler)
	})
	c := &city{Harness: h, t: t, came: map[string]map[core.Code]int{}}
	for range 2 {
		c.addReplica()
	}
	for i, plan := range []core.PlanName{core.PlanFree, core.PlanCreator, core.PlanStudio, core.PlanAgency, core.PlanCreator} {
		c.houses = append(c.houses, &house{ws: h.WorkspaceOn(plan, fmt.Sprintf("house-%d", i), "UTC")})
	}
	for _, size := range []int{8, 40, 90} {
		c.pictures = append(c.pictures, mediatest.PNG(size, size), mediatest.JPEG(size, size))
	}
	c.recordTakings()
	c.renew()
	return c
}

// addReplica adds a process with connections of its own, fewer than there are operations at once.
func (c *city) addReplica() {
	c.t.Helper()
	cfg := c.Pool.Config()
	cfg.MaxConns = operators / 2
	pool, err := pgxpool.NewWithConfig(c.Context(), cfg)
	must(c.t, err)
	c.t.Cleanup(pool.Close)
	db, err := store.New(pool)
	must(c.t, err)
	c.pools = append(c.pools, pool)
	c.replicas = append(c.replicas, c.Replica(func(cfg *app.Config) { cfg.Store = db }))
}

// renew begins the next stretch: accounts are connected again, whatever became of them, and the networks
// misbehave anew.
func (c *city) renew() {
	c.t.Helper()
	c.Sim.Faults.Clear()
	for _, at := range c.houses {
		at.accounts = nil
		for i, network := range []string{"threads", "facebook"} {
			at.accounts = append(at.accounts, at.ws.Account(network, fmt.Sprintf("%s_%d", at.ws.Slug[len("house-"):], i)))
		}
		var plan core.PlanName
		must(c.t, c.Pool.QueryRow(c.Context(), `SELECT plan FROM workspaces WHERE id = $1`, at.ws.ID).Scan(&plan))
		at.plans = []core.PlanName{plan}
	}
	_, err := c.Pool.Exec(c.Context(), `TRUNCATE takings`)
	must(c.t, err)
	for _, network := range []string{"threads", "facebook"} {
		for kind, times := range map[string]int{
			sim.Reject: 30, sim.ServerError: 12, sim.DropAfterAccept: 8, sim.DropBeforeAccept: 8, sim.TruncatedJSON: 8,
			sim.RateLimited: 2, sim.TokenRevoked: 1,
		} {
			c.Fault(sim.Fault{Network: network, Call: "publish", Kind: kind, Times: &times})
		}
	}
}

// rush carries out so many operations, and what workers do besides, and waits until all have ended.
func (c *city) rush(from, n int) {
	c.t.Helper()
	var all sync.WaitGroup
	for i := range operators {
		share := n / operators
		if i < n%operators {
			share++
		}
		all.Go(func() {
			random := rand.New(rand.NewPCG(*operationSeed, uint64(from+i)))
			for done := 0; done < share && !c.t.Failed(); {
				if c.one(random) {
					done++
				}
			}
		})
	}
	all.Wait()
}

// one draws an operation and carries it out. It tells whether that counts, as what a person did to something.
func (c *city) one(random *rand.Rand) (counts bool) { return c.carryOut(draw(random), random) }

// carryOut does an operation somewhere, and wants it to succeed or to fail in a documented way.
func (c *city) carryOut(op operation, random *rand.Rand) (counts bool) {
	ctx, cancel := context.WithTimeout(c.Context(), stuckAfter)
	defer cancel()
	err := op.do(&errand{
		city: c, ctx: ctx, random: random, app: c.replicas[random.IntN(len(c.replicas))], at: c.house(random),
	})
	if errors.Is(err, errIdle) {
		return false
	}
	code := core.Code("ok")
	if err != nil {
		code = core.CodeOf(err)
	}
	c.note(op.name, code)
	if err != nil && !op.may(code) {
		c.t.Errorf("%s: %v", op.name, err)
	}
	return !op.work
}

// house is mostly the one where people meet at the moment, so that they get into each other's way.
func (c *city) house(random *rand.Rand) *house {
	if random.IntN(2) == 0 {
		return c.houses[random.IntN(len(c.houses))]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.houses[c.drawn/gathering%len(c.houses)]
}

func (c *city) note(operation string, came core.Code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawn++
	if c.came[operation] == nil {
		c.came[operation] = map[core.Code]int{}
	}
	c.came[operation][came]++
}
