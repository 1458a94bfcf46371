package networktest

import (
	"testing"

	"belfry/internal/network"
	"belfry/internal/network/sim"
)

func testRevoke(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	old, token := w.Connect().Token, w.Connect().Token
	if token.Grant == "" || token.Grant != old.Grant {
		t.Errorf("two tokens of one person do not share a grant: %q and %q", old.Grant, token.Grant)
	}
	r, ok := w.Net.(network.Revoker)
	if !ok {
		return
	}
	if h.NoRevocation {
		w.CheckError(r.RevokeGrant(t.Context(), token), network.Rejected, token.Access)
		return
	}
	for kind, want := range map[string]network.ErrorKind{
		sim.ServerError: network.Transient, sim.RateLimited: network.RateLimited,
	} {
		w.AddFault(sim.Fault{Call: "revoke", Kind: kind})
		w.CheckError(r.RevokeGrant(t.Context(), token), want, token.Access, token.Refresh)
	}
	w.AddFault(sim.Fault{Call: "revoke", Kind: sim.DropBeforeAccept})
	w.CheckError(r.RevokeGrant(t.Context(), token), network.Unknown, token.Access, token.Refresh)
	if err := w.Net.VerifyToken(t.Context(), token); err != nil {
		t.Fatalf("a refused call revoked the grant: %v", err)
	}
	if err := r.RevokeGrant(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	for _, dead := range []network.Token{old, token} {
		if w.Net.VerifyToken(t.Context(), dead) == nil {
			t.Error("a token works after its grant was revoked")
		}
	}
	if err := w.Net.VerifyToken(t.Context(), w.Connect().Token); err != nil {
		t.Errorf("a later grant does not work: %v", err)
	}
	if h.RevokesByApp { // which still works
		return
	}
	w.CheckError(r.RevokeGrant(t.Context(), token), network.Rejected, token.Access, token.Refresh)
}
