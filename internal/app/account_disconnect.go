package app

import (
	"context"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/store"
)

const reasonDisconnected = "The account was disconnected."

// DisconnectAccount deletes an account's token and hides the account. Its queued posts become drafts and release their
// slots. If no other account needs the grant, a job asks the network to revoke it. It returns conflict, and changes
// nothing, while one of the posts is being published.
func (a *App) DisconnectAccount(ctx context.Context, c core.Caller, id string) error {
	t, accountID, err := authorizeManagerAndParseID[core.AccountKind](a, c, id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		account, err := t.ConnectedAccount(ctx, accountID)
		if err != nil {
			return err
		}
		if err := a.disconnectAccountInTx(ctx, t, accountID, reasonDisconnected); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditAccountRemoved, Actor: c, Subject: id, Before: map[string]string{"name": account.DisplayName},
		})
	})
}

// disconnectAccountInTx is DisconnectAccount without checks of the caller and without an audit entry. The reason is for
// the account and for the timelines of its queued posts. It must run in a transaction.
func (a *App) disconnectAccountInTx(ctx context.Context, t store.Tenant, id core.AccountID, reason string) error {
	account, err := t.ConnectedAccount(ctx, id)
	if err != nil {
		return err
	}
	if err := a.unqueueAccountPosts(ctx, t, account, reason); err != nil {
		return err
	}
	if err := a.enqueueUnusedGrantRevocation(ctx, t, id); err != nil {
		return err
	}
	// Posts are locked before accounts, in the order that workers use, so the account comes last.
	if err := t.DisconnectAccount(ctx, id, reason, a.cfg.Now()); err != nil {
		return err
	}
	late, err := t.QueuedPostIDs(ctx, id)
	if err == nil && len(late) > 0 {
		return core.Fail(core.CodeConflict, "A post to %s has just been queued.", account.DisplayName).
			WithHint("Try to disconnect the account again.")
	}
	return err
}

// unqueueAccountPosts turns the account's queued posts into drafts, with a reason for their timelines. It locks all of
// them before it releases the first slot, because a request that cancels a post also locks the post before the month's
// usage.
func (a *App) unqueueAccountPosts(ctx context.Context, t store.Tenant, account core.Account, reason string) error {
	queued, err := t.LockQueuedPostsAndPublications(ctx, account.ID)
	if err != nil {
		return err
	}
	for _, id := range queued {
		post, err := t.LockPost(ctx, id)
		if err != nil {
			return err
		}
		err = a.unqueuePost(ctx, t, post, reason)
		if core.CodeOf(err) == core.CodeConflict {
			return lockPublicationAndBuildConflict(ctx, t, post)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lockPublicationAndBuildConflict reads the post's ledger row, which it locks, and returns a conflict that names the
// post and the latest time until which the post prevents disconnecting.
func lockPublicationAndBuildConflict(ctx context.Context, t store.Tenant, post core.Post) (conflict error) {
	pub, err := t.LockPublication(ctx, post.ID)
	if err != nil {
		return err
	}
	if pub.IsBeingPublished() {
		return core.Fail(core.CodeConflict, "%s to %s is being published.", postAsSentenceStart(post), post.AccountName).
			WithHint("The current step will end by %s. Disconnect the account once the post is live or has failed.",
				post.Zone.FormatTime(pub.LeaseUntil))
	}
	return core.Fail(core.CodeConflict, "%s to %s may already be published, and Belfry needs access to the account to check.",
		postAsSentenceStart(post), post.AccountName).
		WithHint("Belfry will ask the network again at %s, and will give up by %s. "+
			"Disconnect the account once the post is live or has failed.", post.Zone.FormatTime(pub.NextAt),
			post.Zone.FormatTime(core.StaleAt(pub.Publication, pub.AskingNetworkSince())))
}

// postAsSentenceStart begins a sentence about a post with the beginning of the post's text and the post's id.
func postAsSentenceStart(p core.Post) string {
	const longest = 40
	text := []rune(oneLine(p.Text))
	if len(text) == 0 {
		return fmt.Sprintf("A post without text (%s)", p.ID)
	}
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	return fmt.Sprintf("The post %q (%s)", string(text), p.ID)
}
