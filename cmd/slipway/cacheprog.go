package main

import (
	"cmp"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/compile/cache"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
)

func newCacheprog() *cobra.Command {
	c := &cacheprog{}
	cmd := &cobra.Command{
		Use:   "cacheprog",
		Short: "Keep what the go command compiles in a registry that machines share",
		Long: `Cacheprog is a cache program for the go command: GOCACHEPROG names it, with its flags. Objects
are on this disk and, with -build-cache, in an OCI registry behind it, packed into a few blobs
for each toolchain and platform. "slipway release -build-cache" sets GOCACHEPROG.

Every object is compared with the digest that names it; a wrong one is refused, and compiled. A
registry that fails or is slow is skipped after -budget, for this run and for two minutes: the
build takes longer, with the same result. With -build-cache-read-only nothing is sent, as for pull requests:
who may write to the repository decides what others link into their programs.`,
		Example: `  GOCACHEPROG="slipway cacheprog -build-cache=ghcr.io/me/cache" go build ./...
  GOCACHEPROG="slipway cacheprog -build-cache=ghcr.io/me/cache -build-cache-read-only" \
      go test ./...`,
		RunE: c.run,
	}
	cmd.Flags().StringVar(&c.repository, "build-cache",
		"", "repository of the build cache that machines share, host/repository; none uses the disk only")
	dirFlag(cmd, &c.o.Dir,
		"disk-cache", "", "directory of the objects on this disk (default slipway/go-build in the user's cache)")
	cmd.Flags().BoolVar(&c.o.ReadOnly, "build-cache-read-only", false, "send nothing to the build cache")
	cmd.Flags().StringVar(&c.o.Tag, "build-cache-tag",
		"", "tag of the objects (default GOVERSION-GOOS-GOARCH, which the go command sets)")
	cmd.Flags().DurationVar(&c.o.Budget, "budget",
		2*time.Minute, "how long the go command may wait for the registry in all, and sending may take afterwards")
	cmd.Flags().DurationVar(&c.o.MaxAge, "max-age", 30*24*time.Hour, "how long objects are kept after their last use")
	cmd.Flags().Int64Var(&c.megabytes, "max-blobs",
		2000, "how many MB the blobs of the tag may have; the least recently used objects go")
	cmd.Flags().Int64Var(&c.local, "max-disk", 10000, "the same for the disk")
	fileFlag(cmd, &c.stats, "stats", "", "file to which a line of JSON with counts is added", "jsonl")
	writesTo(cmd, "stats", appended)
	needs(cmd, "build-cache", "build-cache-read-only", "build-cache-tag", "budget", "max-blobs")
	return cmd
}

// cacheprog has the flags of the command.
type cacheprog struct {
	o                cache.Options
	repository       string
	megabytes, local int64
	stats            string
}

func (c *cacheprog) run(cmd *cobra.Command, _ []string) error {
	if err := c.options(cmd); err != nil {
		return err
	}
	opened, err := cache.Open(c.o)
	if err != nil {
		return err
	}
	// The protocol is between programs, and so bypasses the output for people.
	err = cache.Serve(cmd.Context(), opened, cmd.InOrStdin(), os.Stdout)
	if c.stats != "" {
		err = errors.Join(err, opened.Stats().Append(c.stats))
	}
	return err
}

// options completes the options by the flags.
func (c *cacheprog) options(cmd *cobra.Command) error {
	if c.megabytes < 1 || c.local < 1 || c.o.Budget <= 0 || c.o.MaxAge <= 0 {
		return misuse(cmd, "-budget, -max-age, -max-blobs and -max-disk must be above zero")
	}
	c.o.MaxSize, c.o.MaxLocal = c.megabytes*1e6, c.local*1e6
	if c.o.Dir == "" {
		var err error
		if c.o.Dir, err = cache.DefaultDir(); err != nil {
			return err
		}
	}
	if c.repository == "" {
		return nil
	}
	var err error
	if c.o.Repository, err = cache.ParseRepository(c.repository); err == nil {
		c.o.Tag, err = cache.ParseTag(c.o.Tag)
	}
	if err != nil {
		return howto.Usage("%w", err)
	}
	c.o.Network = network.Options{Wait: 200 * time.Millisecond, Attempts: 4, Idle: 10 * time.Second}
	c.o.Warn = func(err error) { output.Fprintf(cmd.ErrOrStderr(), "slipway cacheprog: %s\n", err) }
	return nil
}

// buildCache has the flags of commands that compile.
type buildCache struct {
	repository string
	readOnly   bool
}

func (b *buildCache) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.repository, "build-cache", "", "repository of the build cache that machines share, "+
		"host/repository (default $SLIPWAY_BUILD_CACHE; none uses the go command's own)")
	cmd.Flags().BoolVar(&b.readOnly, "build-cache-read-only",
		false, "send nothing to the build cache, as for pull requests")
}

// use makes the go commands of this process use the cache.
func (b *buildCache) use() error {
	repository := cmp.Or(b.repository, os.Getenv("SLIPWAY_BUILD_CACHE"))
	if repository == "" {
		if b.readOnly {
			return howto.Usage("-build-cache-read-only needs -build-cache")
		}
		return nil
	}
	if _, err := cache.ParseRepository(repository); err != nil {
		from := "SLIPWAY_BUILD_CACHE"
		if b.repository != "" {
			from = "-build-cache"
		}
		return howto.Usage("%s: %w", from, err)
	}
	return cache.Use(repository, b.readOnly)
}
