package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

// flags are the values of the flags that several commands share.
type flags struct {
	product   string
	registry  []string
	version   string
	channel   string
	floating  string
	platforms []string
	images    []string
	clones    []string
	out       string
	store     string
	quiet     bool
	json      bool

	shard  *release.Shard // of release; nil for all of it
	handed *handed        // the plan that came from a registry; nil for one in a file
	made   []string       // what else slipway has written, or will: plan and parts
}

// addProduct adds the flags of commands that read slipway.yaml.
func (f *flags) addProduct(cmd *cobra.Command) {
	f.addPlaces(cmd)
	cmd.Flags().StringSliceVar(&f.registry, "registry", nil, "host[/prefix] to push to, or a destination of slipway.yaml by its name, or all; none makes a snapshot (default $SLIPWAY_REGISTRY)")
	f.addVersion(cmd)
	f.addQuiet(cmd)
}

func (f *flags) addVersion(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.version, "version", "", "the product's version, or git to ask the repository (default $SLIPWAY_VERSION, then that in slipway.yaml)")
	cmd.Flags().StringVar(&f.channel, "channel", "", "a channel of slipway.yaml (default the only one for versions of this kind, if there is one)")
}

// addSelection adds the flags that select a part of a release.
func (f *flags) addSelection(cmd *cobra.Command) {
	f.addPlatforms(cmd)
	cmd.Flags().StringSliceVar(&f.images, "images", nil, "only these images, by their names in slipway.yaml")
}

func (f *flags) addPlatforms(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.platforms, "platforms", nil, "only these platforms, such as linux/amd64,windows/amd64:ltsc2022")
	names := []string{"linux", "windows", "linux/amd64", "linux/arm64"}
	for _, r := range platform.LTSC {
		names = append(names, "windows/amd64:"+r.Name)
	}
	cmd.RegisterFlagCompletionFunc("platforms", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // fails only where the flag is missing
}

// addFloating adds the flag of commands that move floating tags.
func (f *flags) addFloating(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.floating, "floating", imagetag.RuleForward, "how floating tags move: forward, to a newer version only; move, whatever they name; or keep")
	cmd.RegisterFlagCompletionFunc("floating", cobra.FixedCompletions([]string{imagetag.RuleForward, imagetag.RuleMove, imagetag.RuleKeep}, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // fails only where the flag is missing
}

// addClones adds the flag of commands that compare sources with their repositories.
func (f *flags) addClones(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.clones, "repository", nil, "SOURCE=DIRECTORY: a clone of a module's repository, with which the provenance proves the revision")
}

// addPlaces adds the flags for the locations of files.
func (f *flags) addPlaces(cmd *cobra.Command) {
	f.addStore(cmd)
	cmd.Flags().StringVar(&f.out, "out", "dist", "directory for the release's files")
	cmd.MarkFlagDirname("out") //nolint:errcheck // fails only where the flag is missing
}

// addStore adds the flags of commands that need the store only, which may be beside slipway.yaml.
func (f *flags) addStore(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.product, "product", product.File, "the product's description")
	cmd.Flags().StringVar(&f.store, "store", "", "directory of built images (default .slipway beside slipway.yaml)")
	cmd.MarkFlagFilename("product", "yaml", "yml") //nolint:errcheck // fails only where the flag is missing
	cmd.MarkFlagDirname("store")                   //nolint:errcheck // as above
}

func (f *flags) addQuiet(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print only the result and errors")
}

func (f *flags) addJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
}

// load reads the product that the flags name.
func (f *flags) load(ctx context.Context) (*product.Product, error) {
	o := product.Options{
		Path: f.product, Registries: f.registry, Version: f.version, Channel: f.channel, Floating: f.floating, Platforms: f.platforms, Images: f.images, Repositories: f.clones, Made: f.paths(),
	}
	if h := f.handed; h != nil {
		o.Rebuild = h.again
		release.Adopt(&o, h.plan)
	}
	if f.shard != nil {
		if err := f.shard.Select(&o); err != nil {
			return nil, err
		}
	}
	return product.Load(ctx, o)
}

// begin reads the product of a long run and shows its version first.
func (f *flags) begin(cmd *cobra.Command) (*product.Product, *progress.Printer, error) {
	p, err := f.load(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	pr := f.printer(cmd)
	pr.Printf("%s", p.Title())
	return p, pr, nil
}

// storeDir returns the directory of the store.
func (f *flags) storeDir() string {
	if f.store != "" {
		return f.store
	}
	return filepath.Join(filepath.Dir(f.product), ".slipway")
}

// open opens the store and locks it until the returned function is called.
func (f *flags) open(ctx context.Context, pr *progress.Printer) (*store.Store, func(), error) {
	st, err := store.Open(f.storeDir())
	if err != nil {
		return nil, nil, err
	}
	for _, line := range st.Mended() {
		pr.Printf("%s", line)
	}
	unlock, err := st.Lock(ctx, pr.Printf)
	return st, unlock, err
}

// saying returns a function that prints lines on standard error, also with -q.
func saying(cmd *cobra.Command) disk.Say {
	return func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
}

// printer shows progress on standard error, or nowhere with -q.
func (f *flags) printer(cmd *cobra.Command) *progress.Printer {
	if f.quiet {
		return nil
	}
	return progress.New(cmd.ErrOrStderr())
}
