package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/media"
	"belfry/views/ui"
)

const (
	// filesPerPage is the number of files on a page of the library.
	filesPerPage = 60
	// namesShown is the maximum number of files or tags that a message names.
	namesShown = 5
)

// showLibrary shows the files and folders of the media library.
func (r *request) showLibrary() error {
	m, err := r.loadLibraryAndPopFlash(link.ParseMediaFilter(r.echo.QueryParams()))
	if err != nil {
		return err
	}
	if r.echo.Request().Header.Get("HX-Trigger") == "q" { // omits empty filters from the address
		r.echo.Response().Header().Set("HX-Push-Url", r.link.Media(m.Filter))
	}
	return r.render(http.StatusOK, media.Library(m), media.LibraryPart(m))
}

// loadLibraryAndPopFlash loads the files and folders that a filter selects. For a whole page, it removes the flash and
// the selection from the session to show them.
func (r *request) loadLibraryAndPopFlash(filter link.MediaFilter) (media.LibraryModel, error) {
	m := media.LibraryModel{
		Filter: filter, Form: newFormID(), Retention: r.web.cfg.App.Intake().Retention(), Errors: map[string]string{},
	}
	var err error
	if m.Files, m.Next, err = r.listLibraryPage(filter, filter.Use); err != nil {
		return m, err
	}
	selectedIDs := r.popSelectionUnlessFragment()
	for i := range m.Files {
		m.Files[i].Selected = slices.Contains(selectedIDs, m.Files[i].ID)
	}
	if m.Folders, err = r.loadFolderTree(); err != nil {
		return m, err
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return m, err
	}
	m.Frame, err = r.loadFrameAndPopFlash("Media", layout.SectionMedia)
	return m, err
}

// listLibraryPage returns a page of the library's files, and the cursor of the next page. useOverride replaces the
// filter's Use.
func (r *request) listLibraryPage(
	f link.MediaFilter, useOverride string,
) (files []media.File, nextCursor string, err error) {
	f.Use = useOverride
	list, err := r.web.cfg.App.ListLibraryFiles(r.context(), r.caller, libraryFilterWithPageLimit(f))
	if err != nil {
		return nil, "", err
	}
	for _, one := range list.Files {
		files = append(files, media.File{Media: one.Media, DeletedAt: one.DeletedAt})
	}
	return files, list.NextCursor, nil
}

// libraryFilterWithPageLimit converts a filter to that of the operation, with the limit filesPerPage.
func libraryFilterWithPageLimit(f link.MediaFilter) app.LibraryFilter {
	return app.LibraryFilter{
		Folder: f.Folder, Kind: f.Kind, Query: f.Query, Tags: f.Tags, Use: f.Use, Sort: f.Sort, After: f.After,
		Limit: filesPerPage,
	}
}

func (r *request) loadFolderTree() (media.Tree, error) {
	found, err := r.web.cfg.App.ListFolders(r.context(), r.caller)
	return media.NewTree(found.Folders), err
}

// showFilePicker shows the dialog for choosing files. If the person filters the files or asks for more, it renders only
// the files.
func (r *request) showFilePicker() error {
	filter := link.ParseMediaFilter(r.echo.QueryParams())
	if !r.wantsFragment() {
		return r.redirect(r.link.Media(filter))
	}
	m := media.PickModel{Link: r.link, Filter: filter}
	var err error
	if m.Files, m.Next, err = r.listLibraryPage(filter, app.UseUsable); err != nil {
		return err
	}
	if strings.HasPrefix(r.echo.Request().Header.Get("HX-Target"), "picker-") {
		return r.render(http.StatusOK, media.PickFiles(m), nil)
	}
	if m.Folders, err = r.loadFolderTree(); err != nil {
		return err
	}
	return r.render(http.StatusOK, media.PickPart(m), nil)
}

// libraryFilterFromBackField returns the filter of the list from which a form was submitted, or the zero filter if the
// form does not name the list.
func (r *request) libraryFilterFromBackField(form url.Values) (filterOrZero link.MediaFilter) {
	query, err := url.ParseQuery(form.Get(media.FieldBack))
	if err != nil {
		return link.MediaFilter{}
	}
	return link.ParseMediaFilter(query)
}

// flashAndRedirectToLibrary redirects to the list from which a form was submitted, with a message or the reason for a
// refusal. It returns any other error unchanged.
func (r *request) flashAndRedirectToLibrary(form url.Values, message string, err error) error {
	return r.flashDetailsAndRedirectToLibrary(form, layout.Flash{Tone: ui.ToneGood, Text: message}, err)
}

// flashDetailsAndRedirectToLibrary is flashAndRedirectToLibrary for a message with a link.
func (r *request) flashDetailsAndRedirectToLibrary(form url.Values, done layout.Flash, err error) error {
	e, refused := asFormRefusal(err)
	switch {
	case refused:
		told := r.web.errorForPeople(e)
		r.setFlash(ui.ToneDanger, strings.TrimSpace(told.Message+" "+told.Hint))
	case err != nil:
		return err
	default:
		r.setFlashWithDetails(done)
	}
	return r.redirect(r.link.Media(r.libraryFilterFromBackField(form)))
}

// editSelectedFiles moves, tags, pins or unpins the selected files. They stay selected unless they are moved.
func (r *request) editSelectedFiles(form url.Values) error {
	batch := app.FileBatch{IDs: form[media.FieldFile]}
	done := ""
	act := form.Get(media.FieldAct)
	if act != media.ActMove {
		r.rememberSelection(batch.IDs)
	}
	switch act {
	case media.ActTag, media.ActUntag:
		return r.tagOrUntagSelectedFiles(form, act)
	case media.ActMove:
		batch.FolderID, done = folderIDOrNull(form.Get(media.FieldFolder)), "moved"
	case media.ActPin:
		batch.Pinned, done = new(true), "pinned"
	case media.ActUnpin:
		batch.Pinned, done = new(false), "unpinned"
	}
	if done == "" {
		err := core.NotSelected(media.FieldAct, "an action")
		return r.flashAndRedirectToLibrary(form, "", err)
	}
	n, err := r.editFilesOrRefuseIfNone(batch)
	return r.flashAndRedirectToLibrary(form, ui.CountNoun(n, "file", "files")+" "+done+".", err)
}

// editFilesOrRefuseIfNone changes files and returns how many it found. It refuses the change if it found none.
func (r *request) editFilesOrRefuseIfNone(batch app.FileBatch) (found int, err error) {
	found, err = r.web.cfg.App.EditFiles(r.context(), r.caller, batch)
	if err == nil && found == 0 {
		err = core.Invalid("ids", "The selected files no longer exist.")
	}
	return found, convertMissingFolderError(err)
}

// convertMissingFolderError returns a refusal in place of the error that the folder chosen in a form does not exist. It
// returns any other error unchanged.
func convertMissingFolderError(err error) error {
	e := core.ErrorOrInternal(err)
	if e.Code != core.CodeNotFound || e.Path != "folderId" && e.Path != "parentId" {
		return err
	}
	message := "The folder no longer exists."
	if e.Path == "parentId" {
		message = "The parent folder no longer exists."
	}
	return core.Invalid(e.Path, "%s", message).WithHint("Choose another folder.").WithCause(err)
}

// tagOrUntagSelectedFiles adds the tags in a form to the selected files, or removes them.
func (r *request) tagOrUntagSelectedFiles(form url.Values, act string) error {
	tags := parseTags(form.Get(media.FieldTag))
	if len(tags) == 0 {
		missing := core.NotEntered(media.FieldTag, "a tag")
		return r.flashAndRedirectToLibrary(form, "", missing)
	}
	n := 0
	var names []string
	for _, tag := range tags {
		names = append(names, "“"+tag+"”")
		batch := app.FileBatch{IDs: form[media.FieldFile], AddTag: tag}
		if act == media.ActUntag {
			batch.AddTag, batch.RemoveTag = "", tag
		}
		var err error
		if n, err = r.editFilesOrRefuseIfNone(batch); err != nil {
			return r.flashAndRedirectToLibrary(form, "", err)
		}
	}
	count, list := ui.CountNoun(n, "file", "files"), core.JoinNames(names, "and")
	if len(names) > namesShown {
		list = joinFirstNamesAndCountOthers(names)
	}
	if act == media.ActUntag {
		return r.flashAndRedirectToLibrary(form, count+" no longer tagged with "+list+".", nil)
	}
	return r.flashDetailsAndRedirectToLibrary(form, layout.Flash{
		Tone: ui.ToneGood, Text: count + " tagged with " + list + ".",
		URL: r.link.Media(link.MediaFilter{Tags: tags}), Label: "View tagged files",
	}, nil)
}

// folderIDOrNull returns the id of the folder in a form, or null for no folder.
func folderIDOrNull(id string) contract.Opt[string] {
	if id == "" || id == link.RootFolder {
		return contract.Opt[string]{Set: true, Null: true}
	}
	return contract.Some(id)
}

// deleteOrConfirmSelectedFiles deletes the selected files if the person has confirmed, or else asks for
// confirmation.
func (r *request) deleteOrConfirmSelectedFiles(form url.Values) error {
	ids := form[media.FieldFile]
	if form.Get(media.FieldSure) != "" || len(ids) == 0 {
		deleted, used, err := r.web.cfg.App.DeleteFiles(r.context(), r.caller, ids)
		return r.flashDetailsAndRedirectToLibrary(form, newDeletionFlash(deleted, used), err)
	}
	inUse, err := r.web.cfg.App.FindFilesInUse(r.context(), r.caller, ids)
	if _, refused := asFormRefusal(err); refused {
		return r.flashAndRedirectToLibrary(form, "", err)
	}
	if err != nil {
		return err
	}
	found, err := r.web.cfg.App.FindFilesIncludingDeleted(r.context(), r.caller, ids)
	if err != nil {
		return err
	}
	var names, used []string
	fields := []ui.Hidden{
		newFormIDField(), {Name: media.FieldSure, Value: "yes"}, {Name: media.FieldBack, Value: form.Get(media.FieldBack)},
	}
	for _, id := range ids {
		one, ok := found[id]
		switch {
		case ok && slices.Contains(inUse, id):
			used = append(used, one.OriginalName)
		case ok:
			names = append(names, one.OriginalName)
			fields = append(fields, ui.Hidden{Name: media.FieldFile, Value: id})
		}
	}
	if len(names) == 0 && len(used) == 0 {
		return core.NotFound()
	}
	if len(names) == 0 {
		e := core.Fail(core.CodeConflict, "%s", describeFilesKept(used)).
			WithHint("To see these posts, open the file: they are under “Used in”. Remove the file from them first.")
		return r.renderLibraryWithRefusal(r.libraryFilterFromBackField(form), e,
			func(m *media.LibraryModel, _ string) { m.Refused = r.web.errorForPeople(e) })
	}
	points := []string{"Files are deleted permanently. Live posts keep their files on the networks."}
	if len(used) > 0 {
		points = append(points, ui.CountNoun(len(used), "file will not be deleted, because a post still needs it: ",
			"files will not be deleted, because posts still need them: ")+joinFirstNamesAndCountOthers(used)+".")
	}
	return r.renderConfirmation(layout.SectionMedia, layout.ConfirmModel{
		Title:   "Delete " + ui.CountNoun(len(names), "file", "files") + "?",
		Subject: joinFirstNamesAndCountOthers(names), Points: points,
		Action: r.link.DeleteSelectedFiles(), Button: "Delete " + ui.CountNoun(len(names), "file", "files"),
		Back: r.link.Media(r.libraryFilterFromBackField(form)), Fields: fields,
	})
}

// newDeletionFlash says how many files were deleted, and which were not because posts have begun to use them.
func newDeletionFlash(deleted int, namesInUse []string) layout.Flash {
	flash := layout.Flash{Tone: ui.ToneGood, Text: ui.CountNoun(deleted, "file", "files") + " deleted."}
	if len(namesInUse) > 0 {
		flash.Tone = ui.ToneWarn
		flash.Text += " " + describeFilesKept(namesInUse)
	}
	return flash
}

// describeFilesKept says that files were not deleted.
func describeFilesKept(namesInUse []string) string {
	return ui.CountNoun(len(namesInUse), "file was not deleted, because a post still needs it: ",
		"files were not deleted, because posts still need them: ") + joinFirstNamesAndCountOthers(namesInUse) + "."
}

// joinFirstNamesAndCountOthers joins the first namesShown names, and counts the others.
func joinFirstNamesAndCountOthers(names []string) string {
	if more := len(names) - namesShown; more > 0 {
		return strings.Join(names[:namesShown], ", ") + " and " + ui.CountNoun(more, "other", "others")
	}
	return strings.Join(names, ", ")
}

// createFolder creates a folder in the present folder, and opens the new one.
func (r *request) createFolder(form url.Values) error {
	in := contract.CreateFolder{Name: strings.TrimSpace(form.Get(media.FieldName))}
	if parent := form.Get(media.FieldParent); parent != "" {
		in.ParentID = contract.Some(parent)
	}
	made, err := r.web.cfg.App.CreateFolder(r.context(), r.caller, in)
	if e, ok := asFormRefusal(convertMissingFolderError(err)); ok {
		back := r.libraryFilterFromBackField(form)
		if e.Path == "parentId" {
			back = link.MediaFilter{}
			e = e.WithHint("Create the new folder at the top level, or open another folder first.")
		}
		return r.renderLibraryWithRefusal(back, e, func(m *media.LibraryModel, reason string) {
			m.NewFolder, m.Errors["new-folder"] = form.Get(media.FieldName), reason
		})
	}
	if err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Folder "+made.Name+" created.")
	return r.redirect(r.link.Media(link.MediaFilter{Folder: made.ID, View: r.libraryFilterFromBackField(form).View}))
}

// editFolder renames and moves a folder.
func (r *request) editFolder(form url.Values) error {
	in := contract.EditFolder{
		ID: r.pathID(), Name: new(strings.TrimSpace(form.Get(media.FieldName))),
		ParentID: folderIDOrNull(form.Get(media.FieldParent)), Revision: form.Get(media.FieldRevision),
	}
	made, err := r.web.cfg.App.EditFolder(r.context(), r.caller, in)
	back := link.MediaFilter{Folder: r.pathID()}
	if e, ok := asFormRefusal(convertMissingFolderError(err)); ok {
		return r.renderLibraryWithRefusal(back, e, func(m *media.LibraryModel, reason string) {
			if errors.Is(err, app.ErrChanged) {
				reason = "This folder was changed after you opened the page. Its path is now " + m.Folders.PathName(r.pathID()) +
					". To apply your changes anyway, save again."
			}
			m.Renamed, m.Errors["folder-name"] = cmp.Or(form.Get(media.FieldName), " "), reason
			m.MovedTo = new(form.Get(media.FieldParent))
		})
	}
	form.Set(media.FieldBack, back.Encode())
	return r.flashAndRedirectToLibrary(form, "Folder "+made.Name+" saved.", err)
}

// renderLibraryWithRefusal shows the library with the reason for a refusal. addReasonAndInput adds the reason and what
// the person typed to the model.
func (r *request) renderLibraryWithRefusal(
	filter link.MediaFilter, e *core.Error, addReasonAndInput func(m *media.LibraryModel, reason string),
) error {
	m, err := r.loadLibraryAndPopFlash(filter)
	if err != nil {
		return err
	}
	told := r.web.errorForPeople(e)
	addReasonAndInput(&m, strings.TrimSpace(told.Message+" "+told.Hint))
	return r.render(httpd.Status(e.Code), media.Library(m), nil)
}

// deleteEmptyFolder deletes an empty folder.
func (r *request) deleteEmptyFolder(form url.Values) error {
	folder, err := r.web.cfg.App.GetFolder(r.context(), r.caller, r.pathID())
	if err != nil {
		return err
	}
	err = r.web.cfg.App.DeleteEmptyFolder(r.context(), r.caller, folder.ID)
	back := link.MediaFilter{Folder: folder.ID}
	if err == nil {
		back.Folder = ""
		if folder.ParentID != nil {
			back.Folder = *folder.ParentID
		}
	}
	form.Set(media.FieldBack, back.Encode())
	return r.flashAndRedirectToLibrary(form, "Folder "+folder.Name+" deleted.", err)
}

// redirectToLibrary redirects a person who opens the address of an action, which accepts only forms, to the library.
func (r *request) redirectToLibrary() error { return r.redirect(r.link.Media(link.MediaFilter{})) }
