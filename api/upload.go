package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/contract"
	"belfry/internal/httpd"
)

// An upload may take as long as its bytes keep coming; what comes after them is bounded again.
const answerTime = 60 * time.Second

// receiveUpload stores the bytes of a file. The address is signed and needs no credential (Spec §4, Media).
func (a *API) receiveUpload(c echo.Context) error {
	r := c.Request()
	length := r.ContentLength
	if r.Header.Get("Content-Length") == "" {
		length = -1
	}
	done, err := a.cfg.App.Intake().ReceiveUpload(r.Context(), c.Param("token"), length, httpd.PacedBody(c))
	return httpd.NoTimeLimit(answerTime)(func(c echo.Context) error {
		if err != nil {
			return err
		}
		body, err := contract.Encode(done)
		if err != nil {
			return err
		}
		return c.Blob(http.StatusOK, jsonType, body)
	})(c)
}
