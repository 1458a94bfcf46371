package web

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/media"
	"belfry/views/posts"
	"belfry/views/ui"
)

// showFile shows a file on a page or in the library's drawer.
func (r *request) showFile() error {
	m, err := r.loadFilePageAndPopFlash(link.ParseMediaFilter(r.echo.QueryParams()))
	if err != nil {
		return err
	}
	m.PreviousID, m.NextID, err = r.web.cfg.App.FindNeighboursInLibrary(
		r.context(), r.caller, libraryFilterWithPageLimit(m.Back), m.ID,
	)
	if _, known := errors.AsType[*core.Error](err); err != nil && !known {
		return err // otherwise, the address names a list that does not exist
	}
	m.InDrawer = r.wantsFragment()
	return r.render(http.StatusOK, media.FilePage(m), media.FilePart(m))
}

// fileTitleLength is how many characters of a post's text the page of a file shows.
const fileTitleLength = 80

// loadFilePageAndPopFlash loads the page of the file in the request's path, for a person who opened it from the list
// back.
func (r *request) loadFilePageAndPopFlash(back link.MediaFilter) (media.FileModel, error) {
	m := media.FileModel{Back: back, Form: newFormID(), Errors: map[string]string{}}
	card, err := r.web.cfg.App.GetFileCard(r.context(), r.caller, r.pathID())
	if err != nil {
		return m, err
	}
	m.File = media.File{Media: card.Media, DeletedAt: card.DeletedAt}
	m.URL, m.Values = card.URL, media.NewFileValues(card.Media)
	m.MorePosts, m.InUse, m.Retention = card.MorePosts, card.InUse, card.Retention
	for _, p := range card.Posts {
		m.Posts = append(m.Posts, media.FilePost{
			ID: p.ID, Status: p.Status, Title: posts.TitleOrText(p, fileTitleLength), Line: p.StatusLine,
		})
	}
	if m.Folders, err = r.loadFolderTree(); err != nil {
		return m, err
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return m, err
	}
	m.Frame, err = r.loadFrameAndPopFlash(card.OriginalName, layout.SectionMedia)
	return m, err
}

// editFile saves the form of a file.
func (r *request) editFile(form url.Values) error {
	values := media.FileValues{
		Name: form.Get(media.FieldName), Description: form.Get(media.FieldDescription), Tags: form.Get(media.FieldTags),
		Folder: form.Get(media.FieldFolder), Pinned: form.Get(media.FieldPinned) != "",
	}
	before, err := r.web.cfg.App.GetMedia(r.context(), r.caller, r.pathID())
	if err != nil {
		return err
	}
	title := trimmedTextOrNull(values.Name)
	if title.V == strings.TrimSpace(before.OriginalName) { // the form contains it if the file has no title
		title = trimmedTextOrNull("")
	}
	pinned := &values.Pinned
	if before.PurgedAt != nil { // the form has no box for it
		pinned = nil
	}
	made, err := r.web.cfg.App.EditMedia(r.context(), r.caller, contract.EditMedia{
		ID: r.pathID(), Title: title, Description: trimmedTextOrNull(values.Description),
		Tags:     new(append([]string{}, parseTags(values.Tags)...)),
		FolderID: folderIDOrNull(values.Folder), Pinned: pinned,
		Revision: form.Get(media.FieldRevision),
	})
	refusal := convertMissingFolderError(err)
	e, refused := asFormRefusal(refusal)
	if !refused {
		return r.flashAndRedirectToLibrary(form, made.OriginalName+" saved.", err)
	}
	m, err := r.loadFilePageAndPopFlash(r.libraryFilterFromBackField(form))
	if err != nil {
		return err
	}
	m.Values, m.Changed = values, errors.Is(refusal, app.ErrChanged)
	if m.Changed {
		return r.render(http.StatusConflict, media.FilePage(m), nil)
	}
	var beside map[string]string
	beside, m.Refused = r.placeError(e, fileInputs[strings.Split(e.Path, "[")[0]])
	maps.Copy(m.Errors, beside)
	return r.render(httpd.Status(e.Code), media.FilePage(m), nil)
}

// fileInputs maps paths in the API request to inputs of a file's form.
var fileInputs = map[string]string{
	"title": media.FieldName, "description": media.FieldDescription, "tags": media.FieldTags, "folderId": media.FieldFolder,
}

// trimmedTextOrNull returns a text without spaces around it, or null if it is empty.
func trimmedTextOrNull(text string) contract.Opt[string] {
	if text = strings.TrimSpace(text); text == "" {
		return contract.Opt[string]{Set: true, Null: true}
	}
	return contract.Some(text)
}

// uploadToLibrary adds the files of a form to the library.
func (r *request) uploadToLibrary() error {
	if err := r.caller.RequireScope(core.Write); err != nil {
		return err
	}
	sent, refused, err := r.readUploadFormOrRefuseFiles()
	if err != nil {
		return err
	}
	defer sent.RemoveAll() //nolint:errcheck // the operating system removes leftover temporary files
	form := url.Values(sent.Value)
	if err := checkCharactersAndNormalizeLineEnds(form); err != nil {
		return err
	}
	if refused != nil {
		return r.flashAndRedirectToLibrary(form, "", refused)
	}
	ids, refused, err := r.uploadFiles(sent.File[media.FieldUpload], form.Get(media.FieldFolder))
	if err != nil {
		return err
	}
	done := ui.CountNoun(len(ids), "file", "files") + " uploaded."
	switch {
	case refused == nil && len(ids) == 0:
		refused = core.NotSelected("", "a file")
	case refused == nil:
		return r.flashAndRedirectToLibrary(form, done, nil)
	case refused.Path == "folderId":
		form.Del(media.FieldBack) // the list of the missing folder
		refused = refused.WithHint("Upload to the top level, or open another folder first.")
	case len(ids) > 0:
		refused.Message = done + " " + refused.Message
	}
	return r.flashAndRedirectToLibrary(form, "", refused)
}
