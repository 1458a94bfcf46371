package web

import (
	"net/http"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/views/auth"
	"belfry/views/link"
)

// outboxURL returns the address of the outbox, or "" if Belfry does not keep emails.
func (w *Web) outboxURL() (urlOrEmpty string) {
	if w.cfg.App.MailMode() != app.MailKept {
		return ""
	}
	return link.Outbox
}

// forwarded are headers that proxies add.
var forwarded = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"}

// showOutbox shows the emails of a sandbox to requests from this computer. Because the emails' links grant access, the
// page does not exist for requests from other computers or through a proxy.
func (r *request) showOutbox() error {
	httpReq := r.echo.Request()
	local := core.IsLoopback(httpReq.RemoteAddr) && core.IsLoopback(httpReq.Host)
	for _, name := range forwarded {
		local = local && httpReq.Header.Get(name) == ""
	}
	if !local {
		return core.NotFound()
	}
	kept, err := r.web.cfg.App.ListOutbox(r.context())
	if err != nil {
		return err
	}
	m := auth.OutboxModel{Frame: r.newSignedOutFrame("Outbox")}
	for _, mail := range kept {
		out := auth.OutboxMail{
			At: mail.At, To: mail.To, Subject: mail.Letter.Subject, Footnote: mail.Letter.Footnote,
			Paragraphs: mail.Letter.Paragraphs, Action: mail.Letter.Action.Label, ActionURL: mail.Letter.Action.URL,
		}
		for _, item := range mail.Letter.Items {
			out.Items = append(out.Items, auth.OutboxItem(item))
		}
		m.Mails = append(m.Mails, out)
	}
	r.showsSecret = true
	return r.render(http.StatusOK, auth.Outbox(m), nil)
}
