package web

import (
	"net/http"
	"slices"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/views/auth"
	"belfry/views/link"
)

// findOutboxURLIfLocal returns the address of the outbox, or "" if Belfry does not keep emails or the request does not
// come from this computer.
func (r *request) findOutboxURLIfLocal() (urlOrEmpty string) {
	if !r.web.keepsEmails() || !isFromThisComputer(r.echo.Request()) {
		return ""
	}
	return link.Outbox
}

// keepsEmails reports whether Belfry keeps its emails in the outbox instead of sending them.
func (w *Web) keepsEmails() bool { return w.cfg.App.MailMode() == app.MailKept }

// forwarded are headers that proxies add.
var forwarded = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"}

// isFromThisComputer reports whether a request comes from this computer, and not through a proxy.
func isFromThisComputer(r *http.Request) bool {
	return core.IsLoopback(r.RemoteAddr) && core.IsLoopback(r.Host) &&
		!slices.ContainsFunc(forwarded, func(name string) bool { return r.Header.Get(name) != "" })
}

// showOutbox shows the emails of a sandbox to requests from this computer. Because the emails' links grant access, the
// page does not exist for other requests.
func (r *request) showOutbox() error {
	if r.findOutboxURLIfLocal() == "" {
		return core.NotFound()
	}
	kept, err := r.web.cfg.App.ListNewestKeptMails(r.context())
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
