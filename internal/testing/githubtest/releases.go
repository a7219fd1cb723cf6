package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// releases answers requests for releases and assets.
func (s *Server) releases(w http.ResponseWriter, q *http.Request, path string, body []byte) {
	parts := strings.Split(path, "/")
	switch {
	case path == "" && q.Method == http.MethodGet:
		all := slices.Clone(s.Releases)
		slices.Reverse(all) // the newest first
		page(w, q, s.Page, all)
	case path == "" && q.Method == http.MethodPost:
		s.create(w, body)
	case path == "latest":
		s.one(w, func(r *Release) bool { return r.Latest == "true" && !r.Draft })
	case parts[0] == "tags":
		tag := strings.TrimPrefix(path, "tags/")
		s.one(w, func(r *Release) bool { return r.Tag == tag && !r.Draft })
	case parts[0] == "assets":
		s.asset(w, q, parts[1])
	default:
		at := slices.IndexFunc(s.Releases, func(r *Release) bool { return strconv.FormatInt(r.ID, 10) == parts[0] })
		switch {
		case at < 0:
			refuse(w, http.StatusNotFound, "Not Found")
		case len(parts) == 2 && parts[1] == "assets" && q.Method == http.MethodGet:
			page(w, q, s.Page, s.Releases[at].Assets)
		case q.Method == http.MethodGet:
			write(w, http.StatusOK, s.Releases[at])
		case q.Method == http.MethodDelete:
			s.Releases = slices.Delete(s.Releases, at, at+1)
			w.WriteHeader(http.StatusNoContent)
		case q.Method == http.MethodPatch:
			s.change(w, s.Releases[at], body)
		}
	}
}

func (s *Server) one(w http.ResponseWriter, is func(*Release) bool) {
	for _, r := range s.Releases {
		if is(r) {
			write(w, http.StatusOK, r)
			return
		}
	}
	refuse(w, http.StatusNotFound, "Not Found")
}

// ID returns a new number.
func (s *Server) id() int64 {
	s.next++
	return s.next
}

// Add adds a release, as another program or a person does.
func (s *Server) Add(r *Release) *Release {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(r)
}

func (s *Server) add(r *Release) *Release {
	r.ID = s.id()
	host := s.URL + "/api/uploads"
	if s.Uploads != "" {
		host = s.Uploads
	}
	r.UploadURL = fmt.Sprintf("%s/repos/%s/releases/%d/assets{?name,label}", host, s.Repository, r.ID)
	r.HTMLURL = fmt.Sprintf("%s/%s/releases/tag/%s", s.URL, s.Repository, r.Tag)
	for _, a := range r.Assets {
		s.complete(a)
	}
	s.Releases = append(s.Releases, r)
	return r
}

func (s *Server) complete(a *Asset) {
	a.ID = s.id()
	a.Size = int64(len(a.Bytes))
	if a.State == "" {
		a.State = "uploaded"
	}
	if !s.WithoutDigests && a.State == "uploaded" {
		a.Digest = digest(a.Bytes)
	}
}

// change is what a request sets.
type change struct {
	Tag        *string `json:"tag_name"`
	Commit     *string `json:"target_commitish"`
	Name       *string `json:"name"`
	Body       *string `json:"body"`
	Draft      *bool   `json:"draft"`
	Prerelease *bool   `json:"prerelease"`
	Latest     string  `json:"make_latest"`
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func (s *Server) create(w http.ResponseWriter, body []byte) {
	r := &Release{}
	if !s.apply(w, r, body) {
		return
	}
	write(w, http.StatusCreated, s.add(r))
}

func (s *Server) change(w http.ResponseWriter, r *Release, body []byte) {
	if s.apply(w, r, body) {
		write(w, http.StatusOK, r)
	}
}

// apply changes a release. Publishing needs a tag or a commit, and a tag that no other release
// has.
func (s *Server) apply(w http.ResponseWriter, r *Release, body []byte) bool {
	var c change
	if err := json.Unmarshal(body, &c); err != nil {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return false
	}
	next := *r
	set(&next.Tag, c.Tag)
	set(&next.Commit, c.Commit)
	set(&next.Name, c.Name)
	set(&next.Body, c.Body)
	set(&next.Draft, c.Draft)
	set(&next.Prerelease, c.Prerelease)
	if c.Latest != "" {
		next.Latest = c.Latest
	}
	if !next.Draft {
		taken := slices.ContainsFunc(s.Releases, func(o *Release) bool {
			return o != r && !o.Draft && o.Tag == next.Tag
		})
		if taken {
			refuse(w, http.StatusUnprocessableEntity, "Validation Failed",
				map[string]string{"resource": "Release", "code": "already_exists", "field": "tag_name"})
			return false
		}
		if s.Refs[next.Tag] == "" && !slices.Contains(s.Commits, next.Commit) {
			refuse(w, http.StatusUnprocessableEntity, "Validation Failed", map[string]string{
				"resource": "Release",
				"code":     "custom", "message": "Published releases must have a valid tag",
			})
			return false
		}
		if r.Draft || r.ID == 0 {
			next.At = nil
			for _, a := range r.Assets {
				next.At = append(next.At, a.Name+" "+a.State)
			}
		}
	}
	*r = next
	return true
}

// asset answers requests for one asset.
func (s *Server) asset(w http.ResponseWriter, q *http.Request, id string) {
	for _, r := range s.Releases {
		at := slices.IndexFunc(r.Assets, func(a *Asset) bool { return strconv.FormatInt(a.ID, 10) == id })
		if at < 0 {
			continue
		}
		switch {
		case q.Method == http.MethodDelete && s.Immutable && !r.Draft:
			refuse(w, http.StatusUnprocessableEntity, "Cannot delete asset from an immutable release")
		case q.Method == http.MethodDelete:
			r.Assets = slices.Delete(r.Assets, at, at+1)
			w.WriteHeader(http.StatusNoContent)
		case q.Header.Get("Accept") == "application/octet-stream":
			w.Write(r.Assets[at].Bytes) //nolint:errcheck // a test's answer
		default:
			write(w, http.StatusOK, r.Assets[at])
		}
		return
	}
	refuse(w, http.StatusNotFound, "Not Found")
}

// upload takes an asset. One that breaks off stays as a starter.
func (s *Server) upload(w http.ResponseWriter, q *http.Request, id string, body []byte, broken error) {
	at := slices.IndexFunc(s.Releases, func(r *Release) bool { return strconv.FormatInt(r.ID, 10) == id })
	if at < 0 {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	r, name := s.Releases[at], q.URL.Query().Get("name")
	switch {
	case s.Immutable && !r.Draft:
		refuse(w, http.StatusUnprocessableEntity, "Cannot upload assets to an immutable release")
	case slices.ContainsFunc(r.Assets, func(a *Asset) bool { return a.Name == name }):
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed",
			map[string]string{"resource": "ReleaseAsset", "code": "already_exists", "field": "name"})
	default:
		a := &Asset{Name: name, Label: q.URL.Query().Get("label"), Type: q.Header.Get("Content-Type"), Bytes: body}
		if broken != nil {
			a.State = "starter"
		}
		s.complete(a)
		r.Assets = append(r.Assets, a)
		write(w, http.StatusCreated, a)
	}
}
