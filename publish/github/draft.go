package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// marked matches the comment that names the files that a draft is for. The notes that slipway
// writes follow it; what precedes it, people wrote.
var marked = lazyregexp.New(`<!-- slipway (sha256:[0-9a-f]{64}) -->`)

// markOf returns the mark in the notes of a release, or "".
func markOf(body string) string {
	if m := marked.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// body returns the notes of a release with the mark, behind what people wrote.
func (d *Dist) body(was, notes string) string {
	if at := marked.FindStringIndex(was); at != nil {
		was = was[:at[0]]
	}
	if was = strings.TrimRight(was, "\r\n "); was != "" {
		was += "\n\n"
	}
	return was + "<!-- slipway " + d.Mark() + " -->\n" + notes
}

// draft returns the draft to fill: an existing one, if it is for these files or for no files, or
// else a new one. Of two runs that begin at the same time, the one with the older draft goes on.
func (g *GitHub) draft(ctx context.Context, d *Dist, o Options) (*release, error) {
	var mine int64 // a draft that this run has made for certain
	var chosen *release
	err := g.client.Redo(ctx, func() error {
		all, err := g.drafts(ctx, o.Tag)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			made, err := g.create(ctx, d, o)
			if err != nil {
				return err
			}
			mine = made.ID
			if err := g.giveWay(ctx, made); err != nil {
				return err
			}
			if all, err = g.drafts(ctx, o.Tag); err != nil {
				return err
			}
			if !slices.ContainsFunc(all, func(r release) bool { return r.ID == mine }) { // the list is not up to date
				all = append(all, *made)
				sortByID(all)
			}
		}
		chosen, err = g.choose(ctx, d, o, all, mine)
		return err
	})
	if err != nil {
		return nil, err
	}
	return g.adopt(ctx, d, o, chosen)
}

func sortByID(list []release) {
	slices.SortFunc(list, func(a, b release) int { return int(min(max(a.ID-b.ID, -1), 1)) })
}

func (g *GitHub) create(ctx context.Context, d *Dist, o Options) (*release, error) {
	yes, before := true, prerelease(d.Lock.Version)
	r := &release{}
	_, err := g.call(ctx, http.MethodPost, "/releases", releaseChange{
		Tag: o.Tag, Commit: o.Commit, Name: d.Lock.Name + " " + d.Lock.Version, Body: d.body("", o.Notes),
		Draft: &yes, Prerelease: &before,
	}, r)
	if err == nil && (r.ID == 0 || !r.Draft) {
		err = errors.New("GitHub has made no draft: check GITHUB_API_URL")
	}
	return r, err
}

// choose returns the oldest of the drafts for a tag, and deletes the others if they are for the
// same files: lost answers and runs at the same time leave them. A younger draft for other files
// is that of a run that gives way.
func (g *GitHub) choose(ctx context.Context, d *Dist, o Options, all []release, mine int64) (*release, error) {
	first := &all[0]
	for _, r := range all[1:] {
		switch markOf(r.Body) {
		case "":
			return nil, fmt.Errorf("%s has %d drafts for tag %s: delete all but one at %s", g.repo,
				len(all), o.Tag, r.HTMLURL)
		case d.Mark():
			if err := g.delete(ctx, fmt.Sprintf("/releases/%d", r.ID)); err != nil {
				return nil, err
			}
		}
		if r.ID == mine && markOf(first.Body) != d.Mark() {
			return nil, fmt.Errorf("another run is making release %s, with other files, and was first", o.Tag)
		}
	}
	return first, nil
}

// giveWay deletes a draft of this run if there is a published release of its tag, which is an
// error.
func (g *GitHub) giveWay(ctx context.Context, r *release) error {
	other, err := g.published(ctx, r.Tag)
	if err != nil || other == nil || other.ID == r.ID {
		return err
	}
	if err := g.delete(ctx, fmt.Sprintf("/releases/%d", r.ID)); err != nil {
		return err
	}
	return fmt.Errorf("another run has published release %s meanwhile, at %s: run again to compare with it",
		r.Tag, other.HTMLURL)
}

// adopt makes a draft one for these files. A draft for other files is refused.
func (g *GitHub) adopt(ctx context.Context, d *Dist, o Options, r *release) (*release, error) {
	mark := markOf(r.Body)
	if mark != d.Mark() && !o.Replace {
		if mark != "" {
			return nil, fmt.Errorf("the draft of %s is for other files, of a run that was stopped or still goes on: "+
				"go on with the files of that run, or replace the draft with -replace (%s)", r.Tag, r.HTMLURL)
		}
		if err := g.refuseOthers(ctx, d, r); err != nil {
			return nil, err
		}
	}
	if mark != d.Mark() && mark != "" {
		if err := g.removeOthers(ctx, d, r); err != nil {
			return nil, err
		}
	}
	body := d.body(r.Body, o.Notes)
	if body == r.Body {
		return r, nil
	}
	changed := &release{}
	_, err := g.call(ctx, http.MethodPatch, fmt.Sprintf("/releases/%d", r.ID), releaseChange{Body: body}, changed)
	return changed, err
}

// refuseOthers refuses a draft that another user began, if it has other files under the names of
// these.
func (g *GitHub) refuseOthers(ctx context.Context, d *Dist, r *release) error {
	all, err := g.assets(ctx, r.ID)
	if err != nil {
		return err
	}
	for _, f := range d.Files {
		a, ok := find(all, f)
		if !ok || a.State != "uploaded" {
			continue
		}
		same, err := g.equal(ctx, a, f)
		if err != nil {
			return err
		}
		if !same {
			return fmt.Errorf("the draft of %s has another %s, which another run or person sent: "+
				"replace it with -replace (%s)",
				r.Tag, f.Name, r.HTMLURL)
		}
	}
	return nil
}

// removeOthers removes the files of a draft that are not among these.
func (g *GitHub) removeOthers(ctx context.Context, d *Dist, r *release) error {
	all, err := g.assets(ctx, r.ID)
	if err != nil {
		return err
	}
	for _, a := range all {
		if slices.ContainsFunc(d.Files, a.isFor) {
			continue
		}
		if err := g.remove(ctx, a); err != nil {
			return err
		}
	}
	return nil
}
