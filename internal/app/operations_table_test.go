package app_test

import (
	"testing"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

func TestOperationsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, op := range app.Operations() {
		found, ok := app.FindOperation(op.Name)
		if !ok || found.Input != op.Input || found.Output != op.Output {
			t.Errorf("%s names another operation too", op.Name)
		}
		if op.Manages && !op.Session || !op.Session && op.Scope == "" || op.Creates && op.Scope != core.Write {
			t.Errorf("%s asks for %+v", op.Name, op.Access)
		}
	}
}

// An operation that forgot to keep its answer would create twice.
func TestReplayableOperationsKeepTheirAnswer(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.Reject, Message: "Not today"})
	failed := b.ws.Work(b.ws.Now("refused", account))
	inputs := map[string]func(any) error{
		"posts_create":        app.NewFixedInputDecoder(request("once", draft(), account)),
		"posts_retry":         app.NewFixedInputDecoder(contract.RetryPost{ID: failed.ID}),
		"media_create_upload": app.NewFixedInputDecoder(upload(5)),
		"media_from_url":      app.NewFixedInputDecoder(contract.MediaFromURL{URL: "https://example.com/a.jpg"}),
	}
	for _, op := range app.Operations() {
		if !op.Replayable {
			continue
		}
		for i := range 2 {
			answer, err := b.App.RunOperation(b.Context(), &op, app.Request{
				Caller: b.ws.Owner, Decode: inputs[op.Name], ReplayKey: replayOf(op.Name, "body"),
			})
			if err != nil || answer.Replayed != (i == 1) {
				t.Errorf("%s, time %d: %+v, %v", op.Name, i+1, answer, err)
			}
		}
	}
}
