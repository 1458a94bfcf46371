package publish

import (
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/secret"
)

// PurposeHandle is the purpose under which handles are sealed.
const PurposeHandle = "handle"

// lostHandle replaces a handle that no secret key can decrypt. The protocol treats it like any other handle, so nothing
// is sent twice, but the network is never asked about it (see statusOfUndecryptableHandle).
const lostHandle = "lost"

// handleEncryptionContext returns the context that binds a sealed handle to its row, so that the handle cannot be used
// in another row.
func (c *claim) handleEncryptionContext() string {
	return secret.EncryptionContext("publications", "handle", c.post.ID.String(), c.post.Workspace.String())
}

// decryptHandleOrMarkLost decrypts the stored handle. A handle that no key can decrypt becomes lostHandle.
func (c *claim) decryptHandleOrMarkLost() {
	if c.pub.Sealed == nil {
		return
	}
	plain, err := c.engine.cfg.Ring.Open(PurposeHandle, c.handleEncryptionContext(), c.pub.Sealed)
	if err != nil {
		c.log.Warn("could not decrypt the handle of a post", "error", err)
		plain = []byte(lostHandle)
	}
	c.pub.Handle = string(plain)
}

// setStateAndSealHandle sets the publication's state in memory and seals the handle if it has changed. It updates the
// times that depend on the state, as SaveStepBeforeCall does in the row. If the handle is dropped, it also removes the
// network's id of the post.
func (c *claim) setStateAndSealHandle(next core.Publication) {
	if next.Step != c.pub.Step || next.Handle != c.pub.Handle {
		c.pub.StepSince = c.databaseNow()
	}
	if !next.Armed {
		c.pub.ArmedAt, c.item.ArmedAt, c.item.RearmedAt = time.Time{}, time.Time{}, time.Time{}
	}
	if next.Handle != c.pub.Handle {
		c.item.HandleAt = c.databaseNow()
		if next.Handle == "" { // the id belonged to the dropped handle
			c.setExternalID("")
		}
	}
	if next.Handle != c.pub.Handle || (next.Handle != "") != (c.pub.Sealed != nil) {
		c.pub.Sealed = nil
		if next.Handle != "" {
			c.pub.Sealed = c.engine.cfg.Ring.Seal(PurposeHandle, c.handleEncryptionContext(), []byte(next.Handle))
		}
	}
	c.pub.Publication = next
}

// setExternalID sets the network's id of the post.
func (c *claim) setExternalID(id string) { c.pub.ExternalID, c.item.ExternalID = id, id }

// statusOfUndecryptableHandle returns the status of a handle that cannot be decrypted, in place of the network's. A
// handle that was never armed is invisible and can be replaced; only a person can find out what happened to an armed
// one.
func (c *claim) statusOfUndecryptableHandle() network.Status {
	if c.pub.Armed && c.pub.Flow.CanRepeatCall() {
		return network.Status{Verdict: core.Ambiguous}
	}
	return network.Status{Verdict: core.Dead}
}
