package web

import (
	"net/http"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// newSendingFlash returns a message about posts that are sent after core.UndoDelay or, while publishing is on hold,
// after the hold. It has a button that prevents this.
func (r *request) newSendingFlash(before ...app.PostSchedule) layout.Flash {
	f := r.newUndoFlash(formatForCount([2]string{"Publishing", "Publishing %d posts"}, len(before)), before...)
	f.CountsDownTo = r.web.cfg.Now().Add(core.UndoDelay)
	if r.isPublishingKnownToBeOnHold() {
		f.Tone, f.Text, f.CountsDownTo = ui.ToneWarn, formatForCount(queuedOnHold, len(before)), time.Time{}
	}
	ids := make([]string, len(before))
	for i, p := range before {
		ids[i] = p.ID
	}
	return r.withOutcomeUpdates(f, ids)
}

// newQueuedAgainFlash returns a message about a failed post that is published now or at a later time.
func (r *request) newQueuedAgainFlash(p contract.Post) layout.Flash {
	f := layout.Flash{Tone: ui.ToneGood, Text: "Publishing the post… The timeline shows its progress."}
	zone, err := core.ParseZone(p.TZ)
	if err == nil && p.PublishAt != nil && p.PublishAt.After(r.web.cfg.Now()) {
		f.Text = "Post scheduled for " + zone.FormatTime(p.PublishAt.Time) + "."
	} else if r.isPublishingKnownToBeOnHold() {
		f.Tone, f.Text = ui.ToneWarn, queuedOnHold[0]
	}
	return r.withOutcomeUpdates(f, []string{p.ID})
}

// queuedOnHold says that one post is not published yet, or several.
var queuedOnHold = [2]string{
	"The post is queued, but publishing is on hold.", "%d posts are queued, but publishing is on hold.",
}

// isPublishingKnownToBeOnHold reports whether publishing is on hold. If it cannot find out, it logs this and returns
// false, because the message about what was done must still be shown.
func (r *request) isPublishingKnownToBeOnHold() bool {
	reason, _, err := r.web.cfg.App.FindPublishingHold(r.context(), r.caller)
	if err != nil {
		r.web.cfg.Log.WarnContext(r.context(), "cannot find out whether publishing is on hold", "error", err)
	}
	return reason != ""
}

const viewPost = "View post"

// mostUpdated is the maximum number of posts in the address of an update. Many proxies limit addresses to 8 KB.
const mostUpdated = 200

// withOutcomeUpdates makes pages replace a message about queued posts with one about what has become of the posts.
// Pages that are opened later always do so. Open pages do so only if there are at most mostUpdated posts.
func (r *request) withOutcomeUpdates(f layout.Flash, ids []string) layout.Flash {
	if f.Posts = ids; len(ids) > 0 && len(ids) <= mostUpdated {
		f.UpdateURL = r.link.SentPostsFlash(ids...)
	}
	return f
}

// popUpdatedFlashOrNil is popFlashOrNil, but a message about sent posts says what has become of them.
func (r *request) popUpdatedFlashOrNil() (*layout.Flash, error) {
	f := r.popFlashOrNil()
	if f == nil || len(f.Posts) == 0 {
		return f, nil
	}
	outcome, pending, err := r.findOutcomeFlash(f.Posts)
	if pending {
		return f, err
	}
	return outcome, err
}

// showSentPostsFlash updates a message about sent posts. A retry can still change what has become of them, so the
// message is updated again.
func (r *request) showSentPostsFlash() error {
	if !r.wantsFragment() {
		return r.redirect(r.link.Home())
	}
	ids := strings.Fields(r.echo.QueryParam(link.SentPostIDs))
	f, pending, err := r.findOutcomeFlash(ids)
	switch {
	case err != nil:
		return err
	case pending, len(ids) == 0:
		return r.echo.NoContent(http.StatusNoContent)
	case f == nil:
		r.echo.Response().Header().Set("HX-Reswap", "delete")
		return r.echo.NoContent(http.StatusOK)
	}
	return r.render(http.StatusOK, layout.FlashPart(*f), nil)
}

// findOutcomeFlash returns a message about what has become of posts that were queued, or nil if all were moved back to
// drafts or deleted. It links to a single post unless the person sees its page. pending reports that a post will still
// be published or retried; there is no message then.
func (r *request) findOutcomeFlash(sent []string) (flashOrNil *layout.Flash, pending bool, err error) {
	n, err := r.web.cfg.App.CountPostOutcomes(r.context(), r.caller, sent)
	if err != nil || n.Pending > 0 {
		return nil, err == nil, err
	}
	outcome := layout.Flash{Tone: ui.ToneGood, Text: outcomesText(n)}
	switch {
	case outcome.Text == "":
		return nil, false, nil
	case len(sent) == 1 && !strings.Contains(r.requestedOrRefererPageURL(), sent[0]):
		outcome.URL, outcome.Label = r.link.Post(sent[0]), viewPost
	case len(sent) == 1:
	case n.Failed+n.Unknown > 0:
		outcome.URL, outcome.Label = r.link.Posts(link.Filter{Status: string(core.PostFailed)}), "View failed posts"
	default:
		outcome.URL, outcome.Label = r.link.Posts(link.Filter{Status: string(core.PostLive)}), "View live posts"
	}
	if n.Failed+n.Unknown > 0 {
		outcome.Tone = ui.ToneDanger
	}
	outcome = r.withOutcomeUpdates(outcome, sent)
	return &outcome, false, nil
}

// outcomesText says what has become of posts; empty if there are none.
func outcomesText(n app.PostOutcomes) (textOrEmpty string) {
	var sentences []string
	for _, s := range []struct {
		n                      int
		singular, plural, rest string
	}{
		{n.Live, "post is", "posts are", "live."},
		{n.Failed, "post", "posts", "failed."},
		{n.Unknown, "post", "posts", "may not have been published."},
	} {
		if s.n > 0 {
			sentences = append(sentences, ui.CountNoun(s.n, s.singular, s.plural)+" "+s.rest)
		}
	}
	return strings.Join(sentences, " ")
}
