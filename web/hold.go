package web

import (
	"net/http"

	"belfry/views/layout"
	"belfry/views/posts"
)

// showPostsOnHold lists the posts concerned while publishing is on hold.
func (r *request) showPostsOnHold() error {
	reason, held, err := r.web.cfg.App.PublishingHold(r.context(), r.caller)
	if err != nil {
		return err
	}
	frame, err := r.pageFrame("On hold", layout.SectionPosts)
	if err != nil {
		return err
	}
	m := posts.HoldModel{Frame: frame, Reason: reason}
	for _, p := range held {
		m.Rows = append(m.Rows, posts.HeldRow{
			ID: p.Post.String(), Platform: string(p.Platform), Network: r.web.cfg.Networks.Name(p.Platform),
			Account: p.AccountName, Text: p.Text, Fate: p.Fate(), URL: p.ExternalURL,
		})
	}
	return r.render(http.StatusOK, posts.OnHold(m), nil)
}
