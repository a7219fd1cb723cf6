package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// release is a release as the API describes it.
type release struct {
	ID        int64  `json:"id"`
	Tag       string `json:"tag_name"`
	Name      string `json:"name"`
	Body      string `json:"body"`
	Draft     bool   `json:"draft"`
	UploadURL string `json:"upload_url"` // a template: …/assets{?name,label}
	HTMLURL   string `json:"html_url"`
}

// releaseChange is what a request sets of a release.
type releaseChange struct {
	Tag        string `json:"tag_name,omitempty"`
	Commit     string `json:"target_commitish,omitempty"`
	Name       string `json:"name,omitempty"`
	Body       string `json:"body,omitempty"`
	Draft      *bool  `json:"draft,omitempty"`
	Prerelease *bool  `json:"prerelease,omitempty"`
	MakeLatest string `json:"make_latest,omitempty"` // "true" or "false"
}

// published returns the published release of a tag, or nil.
func (g *GitHub) published(ctx context.Context, tag string) (*release, error) {
	var r release
	_, err := g.call(ctx, http.MethodGet, "/releases/tags/"+escape(tag), nil, &r)
	if is(err, http.StatusNotFound) || err == nil && r.Draft {
		return nil, nil
	}
	return &r, err
}

// latest returns the tag of the latest release, or "".
func (g *GitHub) latest(ctx context.Context) (string, error) {
	var r release
	_, err := g.call(ctx, http.MethodGet, "/releases/latest", nil, &r)
	if is(err, http.StatusNotFound) {
		return "", nil
	}
	return r.Tag, err
}

// drafts lists the drafts for a tag, the oldest first.
func (g *GitHub) drafts(ctx context.Context, tag string) (found []release, err error) {
	all, err := list[release](ctx, g, "/releases")
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Draft && r.Tag == tag {
			found = append(found, r)
		}
	}
	sortByID(found)
	return found, nil
}

// object is what a git reference or a tag object names.
type object struct {
	Object struct {
		Type string `json:"type"` // "commit", "tag", "tree" or "blob"
		SHA  string `json:"sha"`
	} `json:"object"`
}

// commit returns the commit of a tag, or "" if the tag does not exist.
func (g *GitHub) commit(ctx context.Context, tag string) (string, error) {
	var o object
	_, err := g.call(ctx, http.MethodGet, "/git/ref/tags/"+escape(tag), nil, &o)
	if is(err, http.StatusNotFound) {
		return "", nil
	}
	for depth := 0; err == nil && o.Object.Type == "tag" && depth < 10; depth++ {
		sha := o.Object.SHA
		o = object{}
		_, err = g.call(ctx, http.MethodGet, "/git/tags/"+escape(sha), nil, &o)
	}
	if err != nil {
		return "", err
	}
	if o.Object.Type != "commit" {
		return "", fmt.Errorf("tag %s of %s names a %.20s, not a commit: tag the commit of the release",
			tag, g.repo, o.Object.Type)
	}
	return o.Object.SHA, nil
}

// checkTag checks that the tag exists and names the commit, or that the commit exists, where
// GitHub then makes the tag. An empty commit is any.
func (g *GitHub) checkTag(ctx context.Context, tag, commit string) error {
	if _, err := g.call(ctx, http.MethodGet, "", nil, nil); err != nil {
		if is(err, http.StatusNotFound) { // the answer of GitHub to an account without rights, too
			return outage{fmt.Errorf("%s has no repository %s that GITHUB_TOKEN may see: "+
				"check -github-repository, GITHUB_API_URL and the rights of the token", g.api.Host, g.repo)}
		}
		return err
	}
	have, err := g.commit(ctx, tag)
	switch {
	case err != nil:
		return err
	case have != "" && commit != "" && !strings.HasPrefix(have, commit):
		return fmt.Errorf("tag %s of %s is commit %.12s, not %.12s: name the tag of this release with -tag",
			tag, g.repo, have, commit)
	case have != "":
		return nil
	case commit == "":
		return fmt.Errorf("%s has no tag %s: push it first (git push origin %s), "+
			"or name its commit with -commit, and GitHub makes the tag", g.repo, tag, tag)
	}
	_, err = g.call(ctx, http.MethodGet, "/git/commits/"+escape(commit), nil, nil)
	if is(err, http.StatusNotFound) || is(err, http.StatusUnprocessableEntity) {
		return fmt.Errorf("%s has no commit %.40s: push it first, and name it in full with -commit", g.repo, commit)
	}
	return err
}

// uploads returns the address for the assets of a release, which must be at the host of the API or
// at its uploads host: the token is sent there.
func (g *GitHub) uploads(r *release) (*url.URL, error) {
	address, _, _ := strings.Cut(r.UploadURL, "{")
	u, err := url.Parse(address)
	host := "uploads." + strings.TrimPrefix(g.api.Host, "api.")
	if err != nil || u.Scheme != g.api.Scheme ||
		u.Host != g.api.Host && (u.Host != host || !strings.HasPrefix(g.api.Host, "api.")) {
		return nil, fmt.Errorf("the API at %s names %.200q for uploads, "+
			"which is neither its own host nor its uploads host: no token is sent there", g.api.Host, address)
	}
	return u, nil
}
