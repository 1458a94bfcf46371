package facebooksim

import (
	"net/url"
	"slices"

	"belfry/internal/network/sim"
)

// readPerson serves the person behind a user token.
func (s *Sim) readPerson(q *apiCall) {
	s.runCall(q, []string{callProfile}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "fields"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		node := map[string]any{"id": s.person.ID, "name": s.person.Name, "picture": pictureNode(s.person.ID)}
		return pickAnswer(q.params.Get("fields"), node, sim.Known("id", "name", "picture"), "id,name", "User")
	})
}

// listPermissions serves the permissions that the person granted and declined.
func (s *Sim) listPermissions(q *apiCall) {
	s.runCall(q, []string{callProfile}, "", func() sim.Answer {
		var data []any
		for _, scope := range q.token.Scopes {
			data = append(data, map[string]any{"permission": scope, "status": "granted"})
		}
		for _, scope := range q.token.Declined {
			data = append(data, map[string]any{"permission": scope, "status": "declined"})
		}
		return sim.OK(map[string]any{"data": data})
	})
}

// revokeConsent gives back the person's whole consent: every token of the app dies, Page tokens too.
func (s *Sim) revokeConsent(q *apiCall) {
	s.runCall(q, []string{callRevoke}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params); odd {
			return badParameter("Param " + name + " is not simulated: only the whole consent can be given back")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.kit.Record(Name, recRevoke, subRemoved); err != nil {
			return sim.InternalError(err)
		}
		s.endTokens(subRemoved)
		return sim.OK(map[string]any{"success": true})
	})
}

func (s *Sim) endTokens(subcode int) {
	for _, t := range s.tokens {
		if t.Ended == 0 {
			t.Ended = subcode
		}
	}
}

var pageFields = sim.Known(
	"id", "name", "username", "access_token", "tasks", "picture", "followers_count", "fan_count", "category",
	"category_list",
	"link", "instagram_business_account",
)

// listAccounts lists the Pages ticked in the dialog, each with a token of its own.
func (s *Sim) listAccounts(q *apiCall) {
	s.runCall(q, []string{callAccounts}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "fields", "limit", "after", "before"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		if !q.token.hasScope(scopeShowList) {
			return missingScope(scopeShowList)
		}
		limit, problem := sim.ReadLimit(q.params)
		if problem != "" {
			return badParameter(problem)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		ids, more, problem := pageOfIDs(q.token.Pages, q.params, limit)
		if problem != "" {
			return badParameter(problem)
		}
		data := make([]any, 0, len(ids))
		for _, id := range ids {
			node, err := s.pageWithToken(q.token, s.pages[id])
			if err != nil {
				return sim.InternalError(err)
			}
			picked, refusal := pickFields(
				q.params.Get("fields"), node, pageFields, "access_token,category,category_list,name,id,tasks", "Page",
			)
			if refusal != nil {
				return *refusal
			}
			data = append(data, picked)
		}
		return sim.OK(pagedBody(q, data, ids, more, s.person.ID+"/accounts"))
	})
}

// pageOfIDs returns the page of ids that follows the after cursor.
func pageOfIDs(ids []string, params url.Values, limit int) (page []string, more bool, problem string) {
	if params.Get("after") != "" {
		after, problem := sim.ReadCursor(params, "after")
		at := slices.Index(ids, after)
		if problem != "" || at < 0 {
			return nil, false, "Invalid cursor in param after"
		}
		ids = ids[at+1:]
	}
	if params.Get("before") != "" {
		return nil, false, "Param before is not simulated"
	}
	return ids[:min(limit, len(ids))], len(ids) > limit, ""
}

func pagedBody(q *apiCall, nodes []any, ids []string, more bool, path string) map[string]any {
	address := "https://" + graph + "/" + q.version + "/" + path
	return sim.PagedBody(q.r, q.params, q.bearer, address, nodes, ids, more)
}

// pageWithToken is a Page as a person's token sees it, with the Page's token. The caller holds the lock.
func (s *Sim) pageWithToken(t *token, p *page) (map[string]any, error) {
	node := describePage(p)
	own, err := s.pageToken(t, p.ID)
	if err != nil {
		return nil, err
	}
	node["access_token"] = own.Token
	node["tasks"] = p.Tasks
	return node, nil
}

// pageToken returns the live Page token of a person's token, or issues one: asking again returns the same.
func (s *Sim) pageToken(t *token, id string) (*token, error) {
	if own, ok := s.derived[[2]string{t.Token, id}]; ok && own.deathSubcode(s.kit.Now()) == 0 {
		return own, nil
	}
	own := &token{Page: id, Scopes: t.Scopes, Declined: t.Declined, Long: t.Long, Parent: t.Token}
	if !t.Long {
		own.ExpiresAt = t.ExpiresAt
	}
	if err := s.issueToken(own); err != nil {
		return nil, err
	}
	s.derived[[2]string{t.Token, id}] = own
	return own, nil
}

func describePage(p *page) map[string]any {
	node := map[string]any{
		"id": p.ID, "name": p.Name, "category": p.Category, "picture": pictureNode(p.ID), "followers_count": 128,
		"fan_count":     120,
		"category_list": []any{map[string]any{"id": "2500", "name": p.Category}}, "link": "https://" + site + "/" + p.ID,
	}
	if p.Username != "" {
		node["username"] = p.Username
	}
	return node
}

// readPage serves a Page, for its own token or the person's.
func (s *Sim) readPage(q *apiCall, p *page) {
	s.runCall(q, []string{callProfile}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "fields"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		node := describePage(p)
		if q.token.Page == "" {
			var err error
			if node, err = s.pageWithToken(q.token, p); err != nil {
				return sim.InternalError(err)
			}
			delete(node, "tasks")
		} else {
			node["access_token"] = q.token.Token
		}
		return pickAnswer(q.params.Get("fields"), node, pageFields, "id,name", "Page")
	})
}

func pickAnswer(asked string, node map[string]any, known map[string]bool, byDefault, kind string) sim.Answer {
	picked, refusal := pickFields(asked, node, known, byDefault, kind)
	if refusal != nil {
		return *refusal
	}
	return sim.OK(picked)
}

func pickFields(
	asked string, node map[string]any, known map[string]bool, byDefault, kind string,
) (map[string]any, *sim.Answer) {
	if asked == "" {
		asked = byDefault
	}
	fields, err := sim.ParseFields(asked)
	if err != nil {
		a := graphError(2500, 0, "Syntax error \""+err.Error()+"\" in fields")
		return nil, &a
	}
	picked, odd := sim.Pick(node, known, fields)
	if odd != "" {
		a := badParameter("Tried accessing nonexisting field (" + odd + ") on node type (" + kind + ")")
		return nil, &a
	}
	return picked, nil
}
