package publish

import (
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/secret"
)

// PurposeHandle is what handles are sealed for.
const PurposeHandle = "handle"

// lostHandle replaces a handle that the secret keys cannot decrypt. The protocol treats it as any other, so
// that nothing is sent twice; the network is never asked about it (see statusOfLostHandle).
const lostHandle = "lost"

// handlePlace binds a sealed handle to its row, so that it cannot be used in another.
func (c *claim) handlePlace() string {
	return secret.Place("publications", "handle", c.post.ID.String(), c.post.Workspace.String())
}

// openHandle decrypts the handle of the row as it was read.
func (c *claim) openHandle() {
	if c.pub.Sealed == nil {
		return
	}
	plain, err := c.engine.cfg.Ring.Open(PurposeHandle, c.handlePlace(), c.pub.Sealed)
	if err != nil {
		c.log.Warn("could not decrypt the handle of a post", "error", err)
		plain = []byte(lostHandle)
	}
	c.pub.Handle = string(plain)
}

// setState applies the protocol's next state, and seals a new handle for the ledger. The times that patience
// counts from follow, as SaveStep sets them in the row.
func (c *claim) setState(next core.Publication) {
	if next.Step != c.pub.Step {
		c.pub.StepSince = c.now()
	}
	if !next.Armed {
		c.pub.ArmedAt, c.item.ArmedAt = time.Time{}, time.Time{}
	}
	if next.Handle != c.pub.Handle {
		c.item.HandleAt = c.now()
		if next.Handle == "" { // what was on its way is not any more
			c.setExternalID("")
		}
	}
	if next.Handle != c.pub.Handle || (next.Handle != "") != (c.pub.Sealed != nil) {
		c.pub.Sealed = nil
		if next.Handle != "" {
			c.pub.Sealed = c.engine.cfg.Ring.Seal(PurposeHandle, c.handlePlace(), []byte(next.Handle))
		}
	}
	c.pub.Publication = next
}

// setExternalID sets the network's id of the post.
func (c *claim) setExternalID(id string) { c.pub.ExternalID, c.item.ExternalID = id, id }

// statusOfLostHandle replaces the network's answer for a handle that cannot be decrypted. One that was never
// armed is invisible and replaced; only a person can tell what became of an armed one.
func (c *claim) statusOfLostHandle() network.Status {
	if c.pub.Armed && c.pub.Flow.Repeatable() {
		return network.Status{Verdict: core.Ambiguous}
	}
	return network.Status{Verdict: core.Dead}
}
