package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/github"
	"github.com/slipway-dev/slipway/report/changes"
	"github.com/slipway-dev/slipway/report/notes"
)

func newGitHubRelease(f *flags) *cobra.Command {
	g := &githubRelease{flags: f}
	cmd := &cobra.Command{
		Use:   "github-release",
		Short: "Publish the files of a release at GitHub, as a draft first",
		Long: `Github-release makes a release at GitHub with the files that SHA256SUMS in the output directory
lists, the checksums and their signatures. It makes a draft, sends what the draft lacks,
compares all files by digest, and publishes last: a release that is immutable from then on
misses nothing. Whatever stops it, run it again: it sends what is missing, once. If the release
is published with the same files, it does nothing; if with others, it refuses.

The tag must exist; with -commit, GitHub makes it for that commit. A version with a prerelease
(1.2.3-rc.1) becomes a prerelease, any other the latest release unless that is a higher one.

The notes list images with digests and platforms, what changed since the release of -since, and
how to verify. Text that somebody wrote above them in the draft stays.

GITHUB_TOKEN needs the right to write contents. It is sent to the host of GITHUB_API_URL
(default ` + github.PublicAPI + `) and its uploads host only, and never printed.`,
		Example: `  slipway github-release -since=../0.16.0/release.lock.json
  slipway github-release -repository=me/kpack -tag=v0.16.1 -draft
  slipway github-release -notes >notes.md`,
		Args: usage(cobra.NoArgs),
		RunE: g.run,
	}
	cmd.Flags().StringVar(&f.out, "out", "dist", "directory of the release's files")
	cmd.Flags().StringVar(&g.repository, "repository", "", "OWNER/NAME (default $GITHUB_REPOSITORY)")
	cmd.Flags().StringVar(&g.o.Tag, "tag", "", "tag of the release (default v and the version)")
	cmd.Flags().StringVar(&g.o.Commit, "commit", "", "the commit to tag if the tag is missing, in full")
	cmd.Flags().StringVar(&g.since, "since", "", "release.lock.json of an older release, to list what changed; the bill of materials next to it is read, too")
	cmd.Flags().BoolVar(&g.o.Draft, "draft", false, "leave the release a draft, complete and compared")
	cmd.Flags().BoolVar(&g.o.Replace, "replace", false, "replace the files of a draft that is for other files")
	cmd.Flags().BoolVar(&g.onlyNotes, "notes", false, "print the notes, and make no request")
	cmd.Flags().StringVar(&g.authorities, "ca-file", "", "PEM file of certificate authorities to trust in addition to the system's")
	cmd.MarkFlagDirname("out")                    //nolint:errcheck // fails only where the flag is missing
	cmd.MarkFlagFilename("since", "json")         //nolint:errcheck // as above
	cmd.MarkFlagFilename("ca-file", "pem", "crt") //nolint:errcheck // as above
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}

// githubRelease has the flags of the command.
type githubRelease struct {
	flags       *flags
	o           github.Options
	repository  string
	since       string
	authorities string
	onlyNotes   bool
}

func (g *githubRelease) run(cmd *cobra.Command, _ []string) error {
	pr := g.flags.printer(cmd)
	defer pr.Close()
	if g.onlyNotes && g.flags.json {
		return usageError{fmt.Errorf("-notes prints Markdown, and -json what a release has become: choose one; see %s -h", cmd.CommandPath())}
	}
	if g.onlyNotes {
		l, err := lock.Read(filepath.Join(g.flags.out, lock.Name))
		if err != nil {
			return err
		}
		text, err := g.notes(l)
		if err != nil {
			return err
		}
		_, err = io.WriteString(cmd.OutOrStdout(), text)
		return err
	}
	hub, err := g.hub(pr)
	if err != nil {
		return err
	}
	dist, err := github.Read(cmd.Context(), g.flags.out, pr)
	if err != nil {
		return err
	}
	if g.o.Notes, err = g.notes(dist.Lock); err != nil {
		return err
	}
	g.o.Tag = cmp.Or(g.o.Tag, "v"+strings.TrimPrefix(dist.Lock.Version, "v"))
	g.o.Progress = pr
	done, err := hub.Publish(cmd.Context(), dist, g.o)
	if err != nil {
		return err
	}
	pr.Close()
	return g.flags.show(cmd, githubReleased{done})
}

// hub returns the repository by the flags and the variables that GitHub Actions sets.
func (g *githubRelease) hub(pr *progress.Printer) (*github.GitHub, error) {
	o := network.Options{Progress: pr}
	if g.authorities != "" {
		var err error
		if o.Transport, err = network.TrustFile(g.authorities); err != nil {
			return nil, err
		}
	}
	api := cmp.Or(os.Getenv("GITHUB_API_URL"), github.PublicAPI)
	return github.NewGitHub(o, api, cmp.Or(g.repository, os.Getenv("GITHUB_REPOSITORY")), os.Getenv("GITHUB_TOKEN"))
}

// notes writes the notes of the release in the output directory.
func (g *githubRelease) notes(l *lock.Lock) (string, error) {
	now, err := changes.Read(g.flags.out, l)
	if err != nil {
		return "", err
	}
	var o notes.Options
	if g.since != "" {
		old, err := lock.Read(g.since)
		if err != nil {
			return "", err
		}
		if old.Name != l.Name {
			return "", fmt.Errorf("-since is of %s, and this is %s: name a release of the same product", output.Line(old.Name), output.Line(l.Name))
		}
		before, err := changes.Read(filepath.Dir(g.since), old)
		if err != nil {
			return "", err
		}
		o.Old = &before
	}
	if o.Fingerprint, err = evidence.ClaimFile(filepath.Join(g.flags.out, evidence.SumsBundle)); err != nil {
		return "", err
	}
	return notes.Write(now, o), nil
}

// githubReleased is the printed result of a release.
type githubReleased struct{ *github.Published }

// WriteTable writes a line for each file that was sent, and one for the release.
func (p githubReleased) WriteTable(w io.Writer) error {
	sent := 0
	for _, f := range p.Files {
		if f.Sent {
			sent++
			output.Fprintf(w, "sent: %s (%s)\n", f.Name, progress.Size(f.Size))
		}
	}
	for _, name := range p.Others {
		output.Fprintf(w, "not of this release: %s\n", name)
	}
	for _, name := range p.Resigned {
		output.Fprintf(w, "another signature of the same checksums, which was not verified: %s\n", name)
	}
	what := map[string]string{"published": "published", "existed": "was published before, with the same files", "draft": "is a complete draft"}[p.State]
	if p.State == "published" {
		what += map[bool]string{true: " as the latest release"}[p.Latest] + map[bool]string{true: " as a prerelease"}[p.Prerelease]
	}
	_, err := output.Fprintf(w, "%s %s: %s, %d files, %d sent: %s\n", p.Repository, p.Tag, what, len(p.Files), sent, p.URL)
	return err
}
