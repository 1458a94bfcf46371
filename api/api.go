//go:generate go test . -run ^(TestDescriptionMatchesTheRepository|TestTablesInTheDocsMatchTheProgram)$ -update

// Package api is the entry point for programs. For each request to /v1, it decodes the input strictly, calls one
// operation, and writes the result as JSON. The handlers and the OpenAPI document are both built from one table of
// routes.
package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/network"
)

// Config is the configuration of the API. Every field is required unless its comment says otherwise.
type Config struct {
	App      *app.App
	Networks *network.Set
	Log      *slog.Logger
	// LimitAddress and LimitCreate appear in the header RateLimit-Policy; App enforces them.
	LimitAddress, LimitCreate app.Rate
	// Session returns the person whom the request's cookie signs in to the dashboard, or the zero Caller. The API calls it
	// only for same-origin requests. It is nil if there is no dashboard.
	Session func(*http.Request) (core.Caller, error)
	// SameOrigin returns an error unless the request certainly comes from one of Belfry's pages. It is required with
	// Session.
	SameOrigin func(*http.Request) error
	// VerificationFiles maps names to texts that are served next to the media files. It is optional.
	VerificationFiles map[string]string
}

// API serves /v1. It is safe for concurrent use.
type API struct {
	cfg      Config
	routes   []*route
	document []byte
	oapi     *huma.OpenAPI
}

// New returns an API with the compiled table of routes and the OpenAPI document.
func New(cfg Config) (*API, error) {
	if cfg.App == nil || cfg.Networks == nil || cfg.Log == nil || cfg.LimitAddress.Max <= 0 || cfg.LimitCreate.Max <= 0 {
		return nil, errors.New("api: Config needs App, Networks, Log, LimitAddress and LimitCreate")
	}
	if cfg.Session != nil && cfg.SameOrigin == nil {
		return nil, errors.New("api: Config.Session requires Config.SameOrigin")
	}
	a := &API{cfg: cfg}
	registry := NewSchemaRegistry(schemaPrefix)
	for _, r := range allRoutes() {
		if err := r.bindOperation(registry); err != nil {
			return nil, fmt.Errorf("set up the route %s %s: %w", r.method, r.path, err)
		}
		a.routes = append(a.routes, &r)
	}
	if err := a.buildDocument(registry); err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return a, nil
}

// Mount registers the routes and their middleware on e. The server's own middleware must be registered first.
func (a *API) Mount(e *echo.Echo) {
	e.Use(a.rateLimitAPIAndReturnErrors)
	group := e.Group(prefix)
	adapter := humaecho.NewWithGroup(e, group, huma.Config{OpenAPI: a.oapi}).Adapter()
	for _, r := range a.routes {
		adapter.Handle(&huma.Operation{Method: r.method, Path: r.path},
			func(ctx huma.Context) { a.handleRequestAndStoreError(humaecho.Unwrap(ctx), r) })
	}
	group.GET("/openapi.json", a.serveDocument)
	// Routes outside /v1 need no credential, and the limits of /v1 do not apply to them.
	e.PUT(contract.UploadPath+":token", a.receiveUpload, httpd.LiftTimeLimits(0))
	e.GET(contract.FilePath+":token/:name", a.serveFile, httpd.LiftTimeLimits(answerTime))
	e.GET(contract.FilePath+":name", a.serveVerificationFile)
	e.GET(contract.AvatarPath+":file", a.serveAvatar)
}
