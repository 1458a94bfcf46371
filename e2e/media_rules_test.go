package e2e

import (
	"fmt"
	"strings"
	"testing"

	"belfry/internal/media/mediatest"
)

// The specification's section on media, rule by rule: each is answered as it says and leaves what it says.
func TestMediaRules(t *testing.T) {
	t.Parallel()
	s, c := newLibrary(t, "creator")
	picture := string(mediatest.PNG(64, 48))
	size := len(picture)
	reserve := func(more string) string {
		return fmt.Sprintf(`{"filename":"bell.png","mime":"image/png","size":%d%s}`, size, more)
	}
	const here, localhost = "/media/<bell>", `"https://localhost/bell.png"`
	invalid := func(name, call, body, says string) step {
		return step{name: name, call: call, body: body, status: 400, code: "invalid_request", contains: says}
	}
	s.newScenario("library", c).runSteps(t, []step{
		{
			name: "a folder to put things into", call: "POST /folders", body: `{"name":"Towers"}`, status: 201,
			saveAs: "towers", files: fileCounts{folders: 1},
		},

		// POST /media/uploads
		{
			name: "a reservation takes its bytes at once", call: "POST /media/uploads", body: reserve(""), status: 201,
			contains: "/upload/", saveAs: "bell", files: fileCounts{files: 1, used: int64(size)},
		},
		{name: "its row says what was declared", call: "GET " + here, status: 200, contains: `"status":"uploading"`},
		{
			name: "a reservation in a folder", call: "POST /media/uploads", body: reserve(`,"folderId":"<towers>"`),
			key: "one", status: 201, saveAs: "second", files: fileCounts{files: 1, used: int64(size)},
		},
		{
			name: "the same request once more", call: "POST /media/uploads", body: reserve(`,"folderId":"<towers>"`),
			key: "one", status: 201, contains: `"<second>"`,
		},
		{
			name: "the same key for another request", call: "POST /media/uploads", body: reserve(""), key: "one", status: 409,
			code: "idempotency_mismatch",
		},
		{
			name: "a reservation with a key to read", caller: "reader", call: "POST /media/uploads", body: reserve(""),
			status: 403, code: "insufficient_scope",
		},
		{
			name: "a reservation by nobody", caller: "nobody", call: "POST /media/uploads", body: reserve(""), status: 401,
			code: "unauthenticated",
		},
		{
			name: "a reservation in no folder", call: "POST /media/uploads", body: reserve(`,"folderId":"fld_none"`),
			status: 404, code: "not_found",
		},
		{
			name: "a reservation in a folder without an id", call: "POST /media/uploads", body: reserve(`,"folderId":""`),
			status: 404, code: "not_found",
		},
		{
			name: "more bytes than the plan allows of one file", call: "POST /media/uploads",
			body: `{"filename":"a.mp4","mime":"video/mp4","size":2000000001}`, status: 402, code: "quota_exceeded",
			contains: `"limit":2000000000`,
		},
		invalid("without a name", "POST /media/uploads", `{"mime":"image/png","size":1}`, "filename"),
		invalid("without a type", "POST /media/uploads", `{"filename":"a.png","size":1}`, "mime"),
		invalid("without a size", "POST /media/uploads", `{"filename":"a.png","mime":"image/png"}`, "size"),
		invalid("a size of nothing", "POST /media/uploads", `{"filename":"a.png","mime":"image/png","size":0}`, "size"),
		invalid("less than nothing", "POST /media/uploads", `{"filename":"a.png","mime":"image/png","size":-1}`, "size"),
		invalid("half a byte", "POST /media/uploads", `{"filename":"a.png","mime":"image/png","size":1.5}`, "size"),
		invalid("a size beyond numbers", "POST /media/uploads", `{"filename":"a.png","mime":"image/png","size":1e400}`, ""),
		invalid("a size in words", "POST /media/uploads", `{"filename":"a.png","mime":"image/png","size":"1"}`, "size"),
		invalid("no name", "POST /media/uploads", `{"filename":"","mime":"image/png","size":1}`, "filename"),
		invalid("a name of two lines", "POST /media/uploads", `{"filename":"a\nb","mime":"image/png","size":1}`, "filename"),
		invalid(
			"a name that is too long", "POST /media/uploads",
			`{"filename":"`+strings.Repeat("a", 256)+`","mime":"image/png","size":1}`, "filename",
		),
		invalid("a type that is none", "POST /media/uploads", `{"filename":"a.png","mime":"png","size":1}`, "mime"),
		invalid("a key that is misspelt", "POST /media/uploads", reserve(`,"folderid":"<towers>"`), "folderId"),
		invalid("a key twice", "POST /media/uploads", reserve(`,"size":1`), "size"),

		// POST /media/from-url
		{
			name: "a file from an address", call: "POST /media/from-url", body: `{"url":` + localhost + `}`, key: "two",
			status: 202, contains: `"originalName":"bell.png"`, saveAs: "fetched", files: fileCounts{files: 1, jobs: 1},
		},
		{
			name: "the same address once more", call: "POST /media/from-url", body: `{"url":` + localhost + `}`, key: "two",
			status: 202, contains: `"<fetched>"`,
		},
		{
			name: "an address with a key to read", caller: "reader", call: "POST /media/from-url",
			body: `{"url":` + localhost + `}`, status: 403, code: "insufficient_scope",
		},
		{
			name: "an address into no folder", call: "POST /media/from-url",
			body: `{"url":` + localhost + `,"folderId":"fld_none"}`, status: 404, code: "not_found",
		},
		{
			name: "an address into a folder without an id", call: "POST /media/from-url",
			body: `{"url":` + localhost + `,"folderId":""}`, status: 404, code: "not_found",
		},
		invalid("no address", "POST /media/from-url", `{"filename":"a.png"}`, "url"),
		invalid("an empty address", "POST /media/from-url", `{"url":""}`, "url"),
		invalid("an address without encryption", "POST /media/from-url", `{"url":"http://example.com/a.png"}`, "https://"),
		invalid("an address of a file here", "POST /media/from-url", `{"url":"file:///etc/passwd"}`, "https://"),
		invalid("an address with a user", "POST /media/from-url", `{"url":"https://a:b@example.com/a.png"}`, "user"),
		invalid("an address with a port", "POST /media/from-url", `{"url":"https://example.com:8443/a.png"}`, "port"),
		invalid("an address of this machine", "POST /media/from-url", `{"url":"https://127.0.0.1/a.png"}`, "public"),
		invalid(
			"an address of this machine in new clothes", "POST /media/from-url", `{"url":"https://[::ffff:7f00:1]/a.png"}`,
			"public",
		),
		invalid("an address of this network", "POST /media/from-url", `{"url":"https://192.168.1.1/a.png"}`, "public"),
		invalid(
			"an address of a cloud's inside", "POST /media/from-url", `{"url":"https://169.254.169.254/latest/meta-data"}`,
			"public",
		),
		invalid(
			"an address that is too long", "POST /media/from-url",
			`{"url":"https://example.com/`+strings.Repeat("a", 2000)+`"}`, "url",
		),

		// The bytes
		{
			name: "the bytes come", uploadTo: "bell", body: picture, status: 200, contains: `"processing"`,
			files: fileCounts{jobs: 1, blobs: 2},
		},
		{name: "the bytes come twice", uploadTo: "bell", body: picture, status: 409, code: "already_uploaded"},
		{
			name: "other bytes come to the same address", uploadTo: "bell", body: picture + "!", status: 409,
			code: "already_uploaded",
		},
		{
			name: "more bytes than reserved", uploadTo: "second", body: picture + "!", status: 400, code: "size_mismatch",
			contains: "a new upload",
		},
		{name: "fewer bytes than reserved", uploadTo: "second", body: picture[1:], status: 400, code: "size_mismatch"},

		// GET /media/{id} and the list
		{name: "a file that is ready", call: "GET " + here, status: 200, contains: `"width":64,"height":48`},
		{
			name: "a file for a key to read", caller: "reader", call: "GET " + here, status: 200,
			contains: `"thumbnailUrl":"http`,
		},
		{name: "a file that never was", call: "GET /media/med_none", status: 404, code: "not_found"},
		{name: "the list", caller: "reader", call: "GET /media", status: 200, contains: `"nextCursor":null`},
		invalid("a list of nothing", "GET /media?limit=-1", "", "limit"),
		invalid("a list that is too long", "GET /media?limit=101", "", "limit"),
		invalid("a list of many", "GET /media?limit=many", "", "limit"),
		invalid("a list of sounds", "GET /media?kind=sound", "", "kind"),
		invalid("a list of what is done", "GET /media?status=ready,done", "", "status"),
		invalid("a list by an unknown filter", "GET /media?folder=root", "", "folder"),
		invalid("a list from nowhere", "GET /media?cursor=nowhere", "", "cursor"),
		{name: "a list of no folder", call: "GET /media?folderId=fld_none", status: 404, code: "not_found"},

		// PATCH /media/{id}
		{
			name: "all that may be changed", call: "PATCH " + here,
			body: `{"title":"Great Tom","description":"Rings at nine.","tags":["bell","oxford"],"folderId":"<towers>",` +
				`"pinned":true}`,
			status: 200, contains: `"title":"Great Tom","description":"Rings at nine.","tags":["bell","oxford"],"pinned":true`,
		},
		{name: "nothing changed", call: "PATCH " + here, body: `{}`, status: 200, contains: `"title":"Great Tom"`},
		{
			name: "what is cleared", call: "PATCH " + here,
			body: `{"title":null,"description":null,"tags":[],"folderId":null}`, status: 200,
			contains: `"folderId":null,"title":null,"description":null,"tags":[],"pinned":true`,
		},
		{
			name: "a change with a key to read", caller: "reader", call: "PATCH " + here, body: `{}`, status: 403,
			code: "insufficient_scope",
		},
		{name: "a change of what never was", call: "PATCH /media/med_none", body: `{}`, status: 404, code: "not_found"},
		{
			name: "a move to no folder", call: "PATCH " + here, body: `{"folderId":"fld_none","title":"Lost"}`, status: 404,
			code: "not_found",
		},
		{name: "and nothing of it is kept", call: "GET " + here, status: 200, contains: `"title":null`},
		invalid("a change of the name", "PATCH "+here, `{"originalName":"a.png"}`, "originalName"),
		invalid("no tags at all", "PATCH "+here, `{"tags":null}`, "tags"),
		invalid("pinned perhaps", "PATCH "+here, `{"pinned":"yes"}`, "pinned"),
		invalid("a title that is too long", "PATCH "+here, `{"title":"`+strings.Repeat("a", 2001)+`"}`, "title"),

		// DELETE /media/{id}
		{name: "a folder that is still of use", call: "PATCH /media/<second>", body: `{"folderId":"<towers>"}`, status: 200},
		{name: "deleting a folder with files", call: "DELETE /folders/<towers>", status: 409, code: "conflict"},
		{
			name: "deleting with a key to read", caller: "reader", call: "DELETE " + here, status: 403,
			code: "insufficient_scope",
		},
		{name: "deleting what never was", call: "DELETE /media/med_none", status: 404, code: "not_found"},
		{
			name: "deleting a file gives its bytes back", call: "DELETE " + here, status: 204,
			files: fileCounts{files: -1, used: -int64(size), jobs: 1, blobs: -2},
		},
		{name: "deleting it again", call: "DELETE " + here, status: 404, code: "not_found"},
		{name: "the bytes of what is deleted come", uploadTo: "bell", body: picture, status: 404, code: "not_found"},
		{
			name: "deleting a reservation", call: "DELETE /media/<second>", status: 204,
			files: fileCounts{files: -1, used: -int64(size)},
		},
		{name: "the bytes of a deleted reservation come", uploadTo: "second", body: picture, status: 404, code: "not_found"},
		{
			name: "deleting a folder that is empty", call: "DELETE /folders/<towers>", status: 204,
			files: fileCounts{folders: -1},
		},
	})
	if left := c.listFiles("/media"); len(left) != 1 {
		t.Fatalf("left are %+v", left)
	}
	failed := c.waitForFile(t, c.listFiles("/media")[0].ID)
	if failed.Status != "failed" || failed.FailReason == nil ||
		!strings.Contains(*failed.FailReason, "could not be downloaded") {
		t.Errorf("a file from this machine's own name is %+v", failed)
	}
}

// The folders' section: names, nesting, moving and deleting.
func TestFolderRules(t *testing.T) {
	t.Parallel()
	s, c := newLibrary(t, "owner")
	conflict := func(name, call, body, says string) step {
		return step{name: name, call: call, body: body, status: 409, code: "conflict", contains: says}
	}
	invalid := func(name, call, body string) step {
		return step{name: name, call: call, body: body, status: 400, code: "invalid_request"}
	}
	one := fileCounts{folders: 1}
	steps := []step{
		{
			name: "no folders", caller: "reader", call: "GET /folders", status: 200,
			contains: `{"folders":[],"nextCursor":null}`,
		},
		{
			name: "a folder", call: "POST /folders", body: `{"name":"Straße"}`, status: 201,
			contains: `"name":"Straße","parentId":null`, saveAs: "a", files: one,
		},
		conflict("its name again", "POST /folders", `{"name":"Straße"}`, ""),
		conflict("its name in capitals", "POST /folders", `{"name":"STRASSE"}`, ""),
		conflict("its name at the root, said", "POST /folders", `{"name":"straße","parentId":null}`, ""),
		{
			name: "its name in itself", call: "POST /folders", body: `{"name":"Straße","parentId":"<a>"}`, status: 201,
			contains: `"parentId":"<a>"`, saveAs: "b", files: one,
		},
		{
			name: "another one beside it", call: "POST /folders", body: `{"name":"Other"}`, status: 201, saveAs: "other",
			files: one,
		},
		invalid("a folder without a name", "POST /folders", `{}`),
		invalid("an empty name", "POST /folders", `{"name":""}`),
		invalid("a name of spaces", "POST /folders", `{"name":"  "}`),
		invalid("a name that is too long", "POST /folders", `{"name":"`+strings.Repeat("a", 81)+`"}`),
		invalid("a name of two lines", "POST /folders", `{"name":"a\nb"}`),
		invalid("a number for a name", "POST /folders", `{"name":7}`),
		invalid("an unknown key", "POST /folders", `{"name":"x","parent":"<a>"}`),
		{
			name: "in no folder", call: "POST /folders", body: `{"name":"x","parentId":"fld_none"}`, status: 404,
			code: "not_found",
		},
		{
			name: "with a key to read", caller: "reader", call: "POST /folders", body: `{"name":"x"}`, status: 403,
			code: "insufficient_scope",
		},
		{name: "by nobody", caller: "nobody", call: "GET /folders", status: 401, code: "unauthenticated"},
		{name: "one of them", caller: "reader", call: "GET /folders/<b>", status: 200, contains: `"id":"<b>"`},
		{name: "none of them", call: "GET /folders/fld_none", status: 404, code: "not_found"},

		{
			name: "another case of its own name", call: "PATCH /folders/<a>", body: `{"name":"STRASSE"}`, status: 200,
			contains: `"name":"STRASSE"`,
		},
		conflict("a sibling's name", "PATCH /folders/<a>", `{"name":"other"}`, ""),
		conflict("a place where the name is taken", "PATCH /folders/<b>", `{"parentId":null}`, ""),
		conflict("a place within itself", "PATCH /folders/<a>", `{"parentId":"<a>"}`, "into itself"),
		conflict("a place below itself", "PATCH /folders/<a>", `{"parentId":"<b>"}`, "into itself"),
		{
			name: "a place that is none", call: "PATCH /folders/<a>", body: `{"parentId":"fld_none"}`, status: 404,
			code: "not_found",
		},
		{
			name: "a change with a key to read", caller: "reader", call: "PATCH /folders/<a>", body: `{"name":"x"}`,
			status: 403, code: "insufficient_scope",
		},
		{name: "a change of none", call: "PATCH /folders/fld_none", body: `{"name":"x"}`, status: 404, code: "not_found"},
		invalid("a change to no name", "PATCH /folders/<a>", `{"name":null}`),
		{
			name: "a move with all that is in it", call: "PATCH /folders/<a>", body: `{"parentId":"<other>"}`, status: 200,
			contains: `"parentId":"<other>"`,
		},
		{name: "which stays in it", call: "GET /folders/<b>", status: 200, contains: `"parentId":"<a>"`},
		{
			name: "a name that is free now", call: "POST /folders", body: `{"name":"Straße"}`, status: 201, saveAs: "level1",
			files: one,
		},
	}
	for level := 2; level <= 10; level++ {
		steps = append(steps, step{
			name: fmt.Sprintf("level %d", level), call: "POST /folders",
			body:   fmt.Sprintf(`{"name":"Deeper","parentId":"<level%d>"}`, level-1),
			status: 201, saveAs: fmt.Sprintf("level%d", level), files: one,
		})
	}
	s.newScenario("library", c).runSteps(t, append(steps,
		conflict("level 11", "POST /folders", `{"name":"Deeper","parentId":"<level10>"}`, "10 levels deep"),
		conflict("three levels below level 8", "PATCH /folders/<other>", `{"parentId":"<level8>"}`, "10 levels deep"),
		step{
			name: "three levels below level 7", call: "PATCH /folders/<other>", body: `{"parentId":"<level7>"}`, status: 200,
		},
		conflict("deleting what holds a folder", "DELETE /folders/<a>", "", "not empty"),
		step{
			name: "a file", call: "POST /media/uploads",
			body: `{"filename":"a.png","mime":"image/png","size":5,"folderId":"<b>"}`, status: 201, saveAs: "file",
			files: fileCounts{files: 1, used: 5},
		},
		conflict("deleting what holds a file", "DELETE /folders/<b>", "", "not empty"),
		step{
			name: "deleting with a key to read", caller: "reader", call: "DELETE /folders/<b>", status: 403,
			code: "insufficient_scope",
		},
		step{name: "the file goes elsewhere", call: "PATCH /media/<file>", body: `{"folderId":"<level10>"}`, status: 200},
		step{name: "deleting what is empty", call: "DELETE /folders/<b>", status: 204, files: fileCounts{folders: -1}},
		step{name: "deleting it again", call: "DELETE /folders/<b>", status: 404, code: "not_found"},
		step{name: "and what was around it", call: "DELETE /folders/<a>", status: 204, files: fileCounts{folders: -1}},
	))
}
