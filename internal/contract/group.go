package contract

import "belfry/internal/core"

// Group is the group record (Spec §2).
type Group struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Color       string   `json:"color" pattern:"^#[0-9A-Fa-f]{6}$"`
	AccountIDs  []string `json:"accountIds" nullable:"false"`
	CreatedAt   Time     `json:"createdAt"`
	UpdatedAt   Time     `json:"updatedAt"`
}

// Revision identifies the group's content (core.NewRevision).
func (g Group) Revision() string {
	return core.NewRevision(g.Name, g.Description, g.Color, g.AccountIDs)
}

// Groups is the response to GET /groups.
type Groups struct {
	Groups     []Group `json:"groups" nullable:"false"`
	NextCursor *string `json:"nextCursor"`
}

// CreateGroup is the body of POST /groups.
type CreateGroup struct {
	Name        string   `json:"name" minLength:"1" maxLength:"80"`
	Description string   `json:"description,omitempty" maxLength:"1000"`
	Color       *string  `json:"color,omitempty" doc:"In the form #rrggbb. Default: #8a8f98, a gray."`
	AccountIDs  []string `json:"accountIds,omitempty" maxItems:"200" nullable:"false"`
}

// EditGroup is the request PATCH /groups/{id}; accountIds replaces all accounts of the group.
type EditGroup struct {
	ID          string    `json:"-" path:"id"`
	Name        *string   `json:"name,omitempty" minLength:"1" maxLength:"80"`
	Description *string   `json:"description,omitempty" maxLength:"1000"`
	Color       *string   `json:"color,omitempty" doc:"In the form #rrggbb."`
	AccountIDs  *[]string `json:"accountIds,omitempty" maxItems:"200" nullable:"false"`
	// Revision is the revision of the group that the dashboard showed, or "" to make the change whatever the group's
	// revision.
	Revision string `json:"-"`
}
