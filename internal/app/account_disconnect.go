package app

import (
	"context"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/store"
)

const disconnected = "The account was disconnected."

// DisconnectAccount deletes an account's token and hides its row. Its queued posts become drafts and return their
// slots. A job asks the network to revoke the grant if no other account needs it. It returns conflict, and changes
// nothing, if one of the posts is being published.
func (a *App) DisconnectAccount(ctx context.Context, c core.Caller, id string) error {
	t, accountID, err := enterManagerWithID[core.AccountKind](a, c, id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		account, err := t.ConnectedAccount(ctx, accountID)
		if err != nil {
			return err
		}
		if err := a.disconnectInTx(ctx, t, accountID); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditAccountRemoved, Actor: c, Subject: id, Before: map[string]string{"name": account.DisplayName},
		})
	})
}

// disconnectInTx is DisconnectAccount within a transaction, whoever asked for it.
func (a *App) disconnectInTx(ctx context.Context, t store.Tenant, id core.AccountID) error {
	account, err := t.ConnectedAccount(ctx, id)
	if err != nil {
		return err
	}
	if err := a.unqueueAccountPosts(ctx, t, account); err != nil {
		return err
	}
	if err := a.enqueueRevocation(ctx, t, id); err != nil {
		return err
	}
	// Posts before accounts, as a worker locks them; the account comes last.
	if err := t.DisconnectAccount(ctx, id, disconnected, a.cfg.Now()); err != nil {
		return err
	}
	late, err := t.QueuedPostIDs(ctx, id)
	if err == nil && len(late) > 0 {
		return core.Fail(core.CodeConflict, "A post to %s has just been queued.", account.DisplayName).
			WithHint("Disconnect the account again.")
	}
	return err
}

// unqueueAccountPosts turns the account's queued posts into drafts. It locks all of them before it returns the first
// slot, because a request that cancels a post locks the post before the month's usage.
func (a *App) unqueueAccountPosts(ctx context.Context, t store.Tenant, account core.Account) error {
	queued, err := t.LockQueuedPostIDs(ctx, account.ID)
	if err != nil {
		return err
	}
	for _, id := range queued {
		post, err := t.LockPost(ctx, id)
		if err != nil {
			return err
		}
		err = a.unqueuePost(ctx, t, &post)
		if core.CodeOf(err) == core.CodeConflict {
			return busyAccountError(ctx, t, post)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// busyAccountError returns the conflict that names the post that prevents disconnecting, and the latest time until
// which it does.
func busyAccountError(ctx context.Context, t store.Tenant, post core.Post) error {
	pub, err := t.LockPublication(ctx, post.ID)
	if err != nil {
		return err
	}
	if pub.IsBeingPublished() {
		return core.Fail(core.CodeConflict, "The post %s to %s is being published.", postLabel(post), post.AccountName).
			WithHint("Publishing ends by %s. Disconnect the account when the post is live or failed.",
				post.Zone.Label(pub.LeaseUntil))
	}
	return core.Fail(core.CodeConflict, "The post %s to %s may already be published, and Belfry needs the account to find out.",
		postLabel(post), post.AccountName).
		WithHint("Belfry checks the network again at %s, and gives up by %s. "+
			"Disconnect the account when the post is live or failed.", post.Zone.Label(pub.NextAt), post.Zone.Label(core.StaleAt(pub.Publication, pub.AskingSince())))
}

// postLabel returns a post's id and the beginning of its text.
func postLabel(p core.Post) string {
	const longest = 40
	text := []rune(oneLine(p.Text))
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	return fmt.Sprintf("%q (%s)", string(text), p.ID)
}
