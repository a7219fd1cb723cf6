package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Options configure how to publish a release.
type Options struct {
	Tag    string // of the release
	Commit string // that the tag names; GitHub makes a missing tag for it. "" needs the tag
	Notes  string // Markdown
	// Draft leaves the release a draft, complete and compared.
	Draft bool
	// Replace takes over a draft that is for other files, and removes those.
	Replace bool
	// Jobs is how many files are sent at the same time; 0 is 4.
	Jobs     int
	Progress *progress.Printer
}

// Published is the result of publishing a release.
type Published struct {
	Repository string `json:"repository"`
	Tag        string `json:"tag"`
	URL        string `json:"url"`
	// State is "published", "existed" if it was published before, or "draft".
	State      string      `json:"state"`
	Prerelease bool        `json:"prerelease"`
	Latest     bool        `json:"latest"` // it was made the latest release
	Files      []SentState `json:"files"`
	Bytes      int64       `json:"bytes"` // that were sent
	// Others are assets of the release that are not files of dist/.
	Others []string `json:"others,omitempty"`
	// Resigned are signatures of a release that was published before, which differ from those here
	// although they are of the same checksums: those of some signers are random.
	Resigned []string `json:"resigned,omitempty"`
}

// SentState is a file, and whether this run has sent it.
type SentState struct {
	File

	Sent bool `json:"sent"`
}

// Publish makes a release of the files of a directory, or goes on with one that was begun. If the
// release is published already with the same files, nothing is sent.
func (g *GitHub) Publish(ctx context.Context, d *Dist, o Options) (*Published, error) {
	p, err := g.publish(ctx, d, o)
	if err != nil {
		return nil, fmt.Errorf("releasing %s %s at GitHub: %w", d.Lock.Name, o.Tag, err)
	}
	return p, nil
}

func (g *GitHub) publish(ctx context.Context, d *Dist, o Options) (*Published, error) {
	if err := g.checkTag(ctx, o.Tag, o.Commit); err != nil {
		return nil, err
	}
	out := &Published{Repository: g.repo, Tag: o.Tag, Prerelease: prerelease(d.Lock.Version), State: "existed"}
	r, err := g.published(ctx, o.Tag)
	if err != nil {
		return nil, err
	}
	if r != nil {
		return out, g.compare(ctx, r, d, out)
	}
	made := *out
	err = g.make(ctx, d, o, &made)
	if err == nil || ctx.Err() != nil {
		return &made, err
	}
	// another run with the same files may have been faster
	if r, lookErr := g.published(ctx, o.Tag); lookErr == nil && r != nil && markOf(r.Body) == d.Mark() &&
		g.compare(ctx, r, d, out) == nil {
		return out, nil
	}
	return nil, err
}

// make makes a draft, fills and publishes it.
func (g *GitHub) make(ctx context.Context, d *Dist, o Options, out *Published) error {
	r, err := g.draft(ctx, d, o)
	if err != nil {
		return err
	}
	sent, err := g.fill(ctx, r, d, o)
	if err != nil {
		return err
	}
	out.State = "draft"
	if err := g.compare(ctx, r, d, out); err != nil {
		return err
	}
	for n := range out.Files {
		if out.Files[n].Sent = sent[out.Files[n].Name]; out.Files[n].Sent {
			out.Bytes += out.Files[n].Size
		}
	}
	if o.Draft {
		return nil
	}
	return g.finish(ctx, r, d, o, out)
}

// fill sends the files that a draft lacks, and returns their names. Broken and other assets are
// removed first.
func (g *GitHub) fill(ctx context.Context, r *release, d *Dist, o Options) (map[string]bool, error) {
	all, err := g.assets(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	var missing []File
	var total int64
	for _, f := range d.Files {
		if a, ok := find(all, f); ok {
			same, err := g.equal(ctx, a, f)
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
			if err := g.remove(ctx, a); err != nil {
				return nil, err
			}
		}
		missing = append(missing, f)
		total += f.Size
	}
	task := o.Progress.Start("sending to "+g.repo, progress.Bytes, total)
	defer task.Fail()
	sent := map[string]bool{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(o.Jobs, 4))
	for _, f := range missing {
		sent[f.Name] = true
		group.Go(func() error { return g.send(ctx, r, d, f, task) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	task.Done("%d files, %d were there", len(missing), len(d.Files)-len(missing))
	return sent, nil
}

// compare compares the assets of a release with the files, and lists both in out.
func (g *GitHub) compare(ctx context.Context, r *release, d *Dist, out *Published) error {
	all, err := g.assets(ctx, r.ID)
	if err != nil {
		return err
	}
	out.URL, out.Files, out.Others, out.Resigned = r.HTMLURL, nil, nil, nil
	var wrong []string
	for _, f := range d.Files {
		a, ok := find(all, f)
		same := false
		if ok {
			if same, err = g.equal(ctx, a, f); err != nil {
				return err
			}
		}
		switch {
		case !ok:
			wrong = append(wrong, "without "+f.Name)
		case !same && out.State == "existed" && (f.Name == evidence.SumsBundle || f.Name == evidence.SumsSignature):
			out.Resigned = append(out.Resigned, f.Name)
		case !same:
			wrong = append(wrong, "with another "+f.Name)
		}
		out.Files = append(out.Files, SentState{File: f})
	}
	for _, a := range all {
		if !slices.ContainsFunc(d.Files, a.isFor) {
			out.Others = append(out.Others, a.Name)
		}
	}
	slices.Sort(out.Others)
	out.Others = slices.Compact(out.Others)
	if len(wrong) == 0 {
		return nil
	}
	what := strings.Join(wrong[:min(len(wrong), 5)], ", ")
	if len(wrong) > 5 {
		what += fmt.Sprintf(" and %d more", len(wrong)-5)
	}
	if out.State == "existed" {
		return fmt.Errorf("release %s is published already, %s: the draft was published by hand, or another "+
			"release has this tag: delete it at %s and run again, or release another version", r.Tag, what, r.HTMLURL)
	}
	return fmt.Errorf("the draft of release %s is %s, and nothing is published: "+
		"it is being changed elsewhere; run again when that has ended", r.Tag, what)
}

// finish publishes a complete draft, and compares the release once more.
func (g *GitHub) finish(ctx context.Context, r *release, d *Dist, o Options, out *Published) error {
	now, err := g.own(ctx, r, d)
	if err != nil {
		return err
	}
	if !now.Draft { // by another run with the same files, or by hand
		out.State = "existed"
		return g.compare(ctx, now, d, out)
	}
	latest, err := g.isLatest(ctx, d.Lock.Version)
	if err != nil {
		return err
	}
	no := false
	change := releaseChange{
		Tag: o.Tag, Commit: o.Commit, Draft: &no, Prerelease: &out.Prerelease,
		MakeLatest: fmt.Sprint(latest),
	}
	var done release
	_, err = g.call(ctx, http.MethodPatch, fmt.Sprintf("/releases/%d", r.ID), change, &done)
	if is(err, http.StatusUnprocessableEntity) || is(err, http.StatusNotFound) {
		err = cmp.Or(g.giveWay(ctx, r), err)
	}
	if err != nil {
		return err
	}
	if done.Draft {
		return errors.New("GitHub has left the release a draft: run again")
	}
	out.URL, out.State, out.Latest = done.HTMLURL, "published", latest
	return g.compare(ctx, &done, d, &Published{State: "existed"})
}

// own returns a draft as it is now, and checks that it is for these files.
func (g *GitHub) own(ctx context.Context, r *release, d *Dist) (*release, error) {
	var now release
	_, err := g.call(ctx, http.MethodGet, fmt.Sprintf("/releases/%d", r.ID), nil, &now)
	switch {
	case is(err, http.StatusNotFound):
		return nil, errors.New("the draft was deleted meanwhile: run again")
	case err != nil:
		return nil, err
	case markOf(now.Body) != d.Mark():
		return nil, fmt.Errorf("another run has taken over the draft of %s: only one of the two may publish it", r.Tag)
	}
	return &now, nil
}

// prerelease reports whether a version is below its release (https://semver.org).
func prerelease(version string) bool {
	return semver.Prerelease("v"+strings.TrimPrefix(version, "v")) != ""
}

// isLatest decides whether a release becomes the latest one: not a prerelease, and not one below
// the present latest release, such as a correction of an older version.
func (g *GitHub) isLatest(ctx context.Context, version string) (bool, error) {
	if prerelease(version) {
		return false, nil
	}
	tag, err := g.latest(ctx)
	if err != nil || tag == "" {
		return err == nil, err
	}
	have, want := "v"+strings.TrimPrefix(tag, "v"), "v"+strings.TrimPrefix(version, "v")
	return !semver.IsValid(have) || !semver.IsValid(want) || semver.Compare(want, have) >= 0, nil
}
