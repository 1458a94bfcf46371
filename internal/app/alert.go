package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/mail"
	"belfry/internal/store"
)

const (
	// alertSettle is how long Belfry collects alerts before members get an email, so that one email covers all problems
	// with the same cause. alertPause is the minimum time between two emails about the same reason.
	alertSettle = 2 * time.Minute
	alertPause  = 30 * time.Minute
	// alertUseful is how long an alert email remains useful. After that, it is not sent.
	alertUseful = 24 * time.Hour
	// alertListed is the maximum number of posts or accounts that an email lists.
	alertListed = 20
)

// QueueAlertEmails queues emails to members about failed posts, and about accounts that must be reconnected or were
// erased. It leaves out problems that have been solved in the meantime. Several replicas can call it at the same time.
// An error in one workspace does not affect the others.
func (a *App) QueueAlertEmails(ctx context.Context) error {
	workspaces, err := a.cfg.Store.WorkspacesWithDueAlerts(ctx, alertSettle, alertPause)
	if err != nil {
		return fmt.Errorf("list workspaces with alerts: %w", err)
	}
	var failed error
	for _, ws := range workspaces {
		t, err := a.authorize(core.NewWorkerCaller(ws), core.Write)
		if err == nil {
			err = t.Tx(ctx, func(t store.Tenant) error { return a.consumeDueAlertsAndQueueEmails(ctx, t) })
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("queue alert emails of workspace %s: %w", ws, err))
		}
	}
	return failed
}

// alertProblems are the failed posts and lost accounts of a workspace that alert emails are about.
type alertProblems struct {
	workspace core.Workspace
	posts     []store.FailedPost  // the posts that an email can list
	failed    int                 // how many posts failed, listed or not
	lost      []store.LostAccount // accounts that must be reconnected
	erased    []store.LostAccount // accounts whose data was erased
	// canReconnect reports whether the recipient's role allows them to reconnect accounts.
	canReconnect bool
}

// consumeDueAlertsAndQueueEmails consumes the alerts that are due in a workspace, and queues emails to the members who
// want them. It must run in a transaction.
func (a *App) consumeDueAlertsAndQueueEmails(ctx context.Context, t store.Tenant) error {
	if err := t.LockWorkspace(ctx); err != nil { // afterwards, other replicas find no alerts
		return err
	}
	alerts, err := t.ConsumeDueAlerts(ctx, alertSettle, alertPause)
	if err != nil || len(alerts) == 0 || a.MailMode() == MailOff {
		return err
	}
	var p alertProblems
	var posts []core.PostID
	var accounts []core.AccountID
	for _, alert := range alerts {
		if alert.Kind == store.AlertPost {
			posts = append(posts, core.IDFromUUID[core.PostKind](alert.Subject))
		} else {
			accounts = append(accounts, core.IDFromUUID[core.AccountKind](alert.Subject))
		}
	}
	if p.workspace, err = t.Workspace(ctx); err != nil {
		return err
	}
	if p.posts, err = t.FailedPostsWithoutRetryAmong(ctx, posts, alertListed); err != nil {
		return err
	}
	found, err := t.LostAccountsAmong(ctx, accounts)
	if err != nil {
		return err
	}
	for _, account := range found {
		if account.Erased {
			p.erased = append(p.erased, account)
		} else {
			p.lost = append(p.lost, account)
		}
	}
	readers, err := t.MembersAndMailChoices(ctx)
	if err != nil {
		return err
	}
	for _, r := range readers {
		for _, letter := range a.newAlertLetters(p.filterForRecipient(r)) {
			letter.Footnote = fmt.Sprintf(
				"You received this email because you are %s of %s. To change which emails you receive, open %s",
				r.Role.WithArticle(), p.workspace.Name, a.workspacePageURL(p.workspace, "settings/profile"))
			m := mail.Message{To: r.Email, Name: r.Name, Letter: letter}
			if err := a.queueMail(ctx, t, m, a.cfg.Now().Add(alertUseful)); err != nil {
				return err
			}
		}
	}
	return a.startAlertPauses(ctx, t, p)
}

// startAlertPauses starts the pause between emails for the reason of each problem.
func (a *App) startAlertPauses(ctx context.Context, t store.Tenant, p alertProblems) error {
	reasons := map[string]bool{}
	for _, post := range p.posts {
		reasons[post.Code] = true
	}
	for reason := range reasons {
		if err := t.StartAlertPause(ctx, store.AlertPost, reason); err != nil {
			return err
		}
	}
	if len(p.lost)+len(p.erased) == 0 {
		return nil
	}
	return t.StartAlertPause(ctx, store.AlertAccount, "")
}

// filterForRecipient returns the problems that a member wants to get by email.
func (p alertProblems) filterForRecipient(recipient store.MailRecipient) alertProblems {
	of := alertProblems{workspace: p.workspace, canReconnect: recipient.Role.CanManage()}
	choice := recipient.Role.MailChoiceOrDefault(recipient.Choice)
	if choice == core.MailAll {
		of.lost, of.erased = p.lost, p.erased
	}
	for _, post := range p.posts {
		covered := post.AccountLost && core.PostError{Code: post.Code}.IsLostAccess() // by the email about the account
		if choice == core.MailAll && !covered || choice == core.MailOwn && post.CreatedBy == recipient.ID {
			of.posts = append(of.posts, post)
			if post.First {
				of.failed += post.Alike
			}
		}
	}
	return of
}

// newAlertLetters returns one letter about the failed posts, one about the accounts that must be reconnected, and one
// about the erased accounts, if there are any.
func (a *App) newAlertLetters(p alertProblems) (letters []mail.Letter) {
	if len(p.posts) > 0 {
		letters = append(letters, a.newFailedPostsLetter(p))
	}
	if len(p.lost) > 0 {
		letters = append(letters, a.appendAccounts(a.newReconnectLetter(p), p.lost))
	}
	if len(p.erased) > 0 {
		letters = append(letters, a.appendAccounts(a.newErasureLetter(p), p.erased))
	}
	return letters
}

func (a *App) newFailedPostsLetter(p alertProblems) mail.Letter {
	first := p.posts[0]
	l := mail.Letter{
		Subject: fmt.Sprintf("A post to %s on %s failed", first.AccountName, a.cfg.Networks.DisplayName(first.Platform)),
		Paragraphs: []string{
			fmt.Sprintf("A post in the workspace %s failed. Belfry will not retry it automatically.", p.workspace.Name),
		},
		Action: mail.Link{Label: "View the post", URL: a.workspacePageURL(p.workspace, "posts/"+first.ID.String())},
	}
	hasUnknownOutcome := func(p store.FailedPost) bool { return p.Code == core.ErrorOutcomeUnknown }
	if hasUnknownOutcome(first) {
		l.Subject = fmt.Sprintf("A post to %s on %s may not have been published", first.AccountName,
			a.cfg.Networks.DisplayName(first.Platform))
		l.Paragraphs[0] = fmt.Sprintf("Belfry does not know whether a post in the workspace %s was published. "+
			"Check the account on the network, then answer the question on the post's page.", p.workspace.Name)
	}
	if n := p.failed; n > 1 {
		failed, them := "failed", "Belfry will not retry them automatically."
		if slices.ContainsFunc(p.posts, hasUnknownOutcome) {
			failed, them = "failed or may not have been published", them+" "+
				"For each post that may not have been published, answer the question on the post's page."
		}
		l.Subject = fmt.Sprintf("%d posts in %s %s", n, p.workspace.Name, failed)
		l.Paragraphs[0] = fmt.Sprintf("%d posts in the workspace %s %s. %s", n, p.workspace.Name, failed, them)
		l.Action = mail.Link{Label: "View failed posts", URL: a.workspacePageURL(p.workspace, "posts?status=failed")}
	}
	for _, post := range p.posts[:min(len(p.posts), alertListed)] {
		l.Items = append(l.Items, mail.Item{
			Title:  a.failedPostTitleOrText(post),
			Detail: post.AccountName + " on " + a.cfg.Networks.DisplayName(post.Platform) + ": " + post.Message,
			URL:    a.workspacePageURL(p.workspace, "posts/"+post.ID.String()),
		})
	}
	return appendUnlistedCount(l, p.failed)
}

// appendAccounts adds the list of accounts to a letter.
func (a *App) appendAccounts(l mail.Letter, accounts []store.LostAccount) mail.Letter {
	for _, account := range accounts[:min(len(accounts), alertListed)] {
		l.Items = append(l.Items, mail.Item{
			Title: account.Name + " on " + a.cfg.Networks.DisplayName(account.Platform), Detail: account.Reason,
		})
	}
	return appendUnlistedCount(l, len(accounts))
}

// newErasureLetter returns the letter about erased accounts, without their list.
func (a *App) newErasureLetter(p alertProblems) (withoutList mail.Letter) {
	l := mail.Letter{
		Subject: fmt.Sprintf("An account on %s was disconnected", a.cfg.Networks.DisplayName(p.erased[0].Platform)),
		Paragraphs: []string{fmt.Sprintf("Belfry has disconnected an account in the workspace %s and deleted its data. "+
			"The account's queued posts are now drafts.", p.workspace.Name)},
		Action: mail.Link{Label: "View drafts", URL: a.workspacePageURL(p.workspace, "posts?status=draft")},
	}
	if n := len(p.erased); n > 1 {
		l.Subject = fmt.Sprintf("%d accounts in %s were disconnected", n, p.workspace.Name)
		l.Paragraphs[0] = fmt.Sprintf("Belfry has disconnected %d accounts in the workspace %s and deleted their data. "+
			"The accounts' queued posts are now drafts.", n, p.workspace.Name)
	}
	return l
}

// newReconnectLetter returns the letter about accounts that must be reconnected, without their list.
func (a *App) newReconnectLetter(p alertProblems) (withoutList mail.Letter) {
	first, request := p.lost[0], "Reconnect"
	if !p.canReconnect {
		request = "Belfry has lost access to"
	}
	l := mail.Letter{
		Subject: fmt.Sprintf("%s %s on %s", request, first.Name, a.cfg.Networks.DisplayName(first.Platform)),
		Paragraphs: []string{fmt.Sprintf("Belfry can no longer publish to an account in the workspace %s. "+
			"Until the account is reconnected, its queued posts fail when they are due.", p.workspace.Name)},
		Action: mail.Link{Label: "Reconnect", URL: a.workspacePageURL(p.workspace, "accounts")},
	}
	if n := len(p.lost); n > 1 {
		l.Subject = fmt.Sprintf("%s %d accounts in %s", request, n, p.workspace.Name)
		l.Paragraphs[0] = fmt.Sprintf("Belfry can no longer publish to %d accounts in the workspace %s. "+
			"Until the accounts are reconnected, their queued posts fail when they are due.", n, p.workspace.Name)
	}
	if !p.canReconnect {
		l.Paragraphs = append(l.Paragraphs, "Only owners and admins of the workspace can reconnect accounts.")
		l.Action.Label = "View accounts"
	}
	return l
}

// appendUnlistedCount adds a line with the number of entries that the letter does not list, if there are any.
func appendUnlistedCount(l mail.Letter, total int) mail.Letter {
	if rest := total - len(l.Items); rest > 0 {
		l.Items = append(l.Items, mail.Item{Title: fmt.Sprintf("and %d more", rest)})
	}
	return l
}

// titleShown is the maximum length of a post's title in an email, in characters.
const titleShown = 80

// failedPostTitleOrText returns a post's published title or, if there is none, the beginning of its text.
func (a *App) failedPostTitleOrText(p store.FailedPost) string {
	title := a.titleOrEmptyIfUnused(p.Platform, p.Title)
	return cmp.Or(core.Excerpt(title, titleShown), core.Excerpt(p.Text, titleShown), "A post without text")
}

// workspacePageURL returns the address of a page in a workspace. page is the path below the workspace's address.
func (a *App) workspacePageURL(w core.Workspace, page string) string {
	return a.cfg.PublicURL + "/w/" + w.Slug + "/" + page
}
