package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/github"
	"github.com/slipway-dev/slipway/report/notes"
)

func newGitHubRelease(f *flags) *cobra.Command {
	g := &githubRelease{flags: f}
	cmd := &cobra.Command{
		Use:   "github-release",
		Short: "Publish the files of a release at GitHub, as a draft first",
		Long: `Github-release makes a release at GitHub with the files that SHA256SUMS in the output directory
lists, the checksums and their signatures. The command makes a draft, sends the missing files,
compares all files by digest, and publishes last: an immutable release lacks nothing. After an
interruption, run the command again: it sends only missing files. A release that is published
with the same files stays; one with other files is an error.

The tag must exist; with -commit, GitHub makes it for that commit. A version with a prerelease
(1.2.3-rc.1) becomes a prerelease, any other the latest release unless that is a higher one.

The notes list images with digests and platforms, what changed since the release of -since, and
how to verify. Text that was written above them in the draft stays.

GITHUB_TOKEN needs the right to write contents. The token is sent to the host of GITHUB_API_URL
(default ` + github.PublicAPI + `) and its uploads host only, and never printed.`,
		Example: `  slipway github-release -since=../0.16.0/release.lock.json
  slipway github-release -github-repository=me/kpack -tag=v0.16.1 -draft
  slipway github-release -notes >notes.md`,
		RunE: f.prints(g.run),
	}
	f.addOut(cmd)
	cmd.Flags().StringVar(&g.repository, "github-repository", "", "OWNER/NAME (default $GITHUB_REPOSITORY)")
	cmd.Flags().StringVar(&g.o.Tag, "tag", "", "tag of the release (default v and the version)")
	cmd.Flags().StringVar(&g.o.Commit, "commit", "", "the commit to tag if the tag is missing, in full")
	addSince(cmd, &g.since,
		": its directory or lock, to list the changes; the bill of materials next to it is read, too")
	cmd.Flags().BoolVar(&g.o.Draft, "draft", false, "leave the release a draft, complete and compared")
	cmd.Flags().BoolVar(&g.o.Replace, "replace", false, "replace the files of a draft that is for other files")
	cmd.Flags().BoolVar(&g.onlyNotes, "notes", false, "print the notes, and make no request")
	add(cmd, f.addQuiet, f.addJSON)
	for _, name := range []string{"json", "github-repository", "tag", "commit", "draft", "replace"} {
		cmd.MarkFlagsMutuallyExclusive("notes", name)
	}
	return cmd
}

// githubRelease has the flags of the command.
type githubRelease struct {
	flags      *flags
	o          github.Options
	repository string
	since      string
	onlyNotes  bool
}

func (g *githubRelease) run(cmd *cobra.Command, _ []string) (table, error) {
	out := g.flags.out
	if g.onlyNotes {
		l, err := lock.Read(filepath.Join(out, lock.Name))
		if err != nil {
			return nil, err
		}
		text, err := notes.ForRelease(out, g.since, l)
		if err == nil {
			_, err = io.WriteString(cmd.OutOrStdout(), text)
		}
		return nil, err
	}
	o := g.flags.network(cmd)
	api := cmp.Or(os.Getenv("GITHUB_API_URL"), github.PublicAPI)
	hub, err := github.NewGitHub(o, api, cmp.Or(g.repository, os.Getenv("GITHUB_REPOSITORY")),
		os.Getenv("GITHUB_TOKEN"))
	if err != nil {
		return nil, err
	}
	dist, err := github.Read(cmd.Context(), out, o.Progress)
	if err != nil {
		return nil, err
	}
	if g.o.Notes, err = notes.ForRelease(out, g.since, dist.Lock); err != nil {
		return nil, err
	}
	g.o.Tag = cmp.Or(g.o.Tag, "v"+strings.TrimPrefix(dist.Lock.Version, "v"))
	g.o.Progress = o.Progress
	return hub.Publish(cmd.Context(), dist, g.o)
}
