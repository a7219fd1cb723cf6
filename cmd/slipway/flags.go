package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/handoff"
	"github.com/slipway-dev/slipway/store"
)

// flags are the values of the flags that several commands share.
type flags struct {
	product   string
	registry  []string
	version   string
	channel   string
	floating  string
	referrers oci.ReferrerRule
	platforms []string
	images    []string
	clones    []string
	looks     bool // the command reports all mistakes, and publishes nothing
	out       string
	store     string
	ca        string
	quiet     bool
	json      bool
	rebuild   bool

	progress *progress.Printer // of the command that runs; nil for none

	shard *release.Shard // of release; nil for all of it
	work  *handoff.Work  // the plan that came from a registry; nil for one in a file
	made  []string       // what else slipway has written, or will: plan and parts
}

// add adds groups of flags to a command, and returns it.
func add(cmd *cobra.Command, groups ...func(*cobra.Command)) *cobra.Command {
	for _, g := range groups {
		g(cmd)
	}
	return cmd
}

// addProduct adds the flags of commands that read slipway.yaml.
func (f *flags) addProduct(cmd *cobra.Command) {
	add(cmd, f.addRegistry, f.addPlaces, f.addVersion, f.addQuiet)
}

// addRegistry adds the flag of commands for releases to registries.
func (f *flags) addRegistry(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.registry, "registry", nil, "host[/prefix] of the release, or destinations of "+
		"slipway.yaml by their names, or all; none is a snapshot (default $SLIPWAY_REGISTRY)")
}

// addDescription adds the flag for slipway.yaml.
func (f *flags) addDescription(cmd *cobra.Command) {
	fileFlag(cmd, &f.product, "product", product.File, "the product's description", "yaml", "yml")
}

func (f *flags) addVersion(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.version, "version",
		"", "the product's version, or git to ask the repository (default $SLIPWAY_VERSION, then that in slipway.yaml)")
	cmd.Flags().StringVar(&f.channel, "channel",
		"", "a channel of slipway.yaml (default the only one for versions of this kind, if there is one)")
}

// addSelection adds the flags that select a part of a release.
func (f *flags) addSelection(cmd *cobra.Command) {
	f.addPlatforms(cmd)
	cmd.Flags().StringSliceVar(&f.images, "images", nil, "only these images, by their names in slipway.yaml")
}

func (f *flags) addPlatforms(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.platforms, "platforms",
		nil, "only these platforms, such as linux/amd64,windows/amd64:ltsc2022")
	names := []string{"linux", "windows", "linux/amd64", "linux/arm64"}
	for _, r := range platform.LTSC {
		names = append(names, "windows/amd64:"+r.Name)
	}
	offer(cmd, "platforms", names...)
}

// addFloating adds the flag of commands that move floating tags.
func (f *flags) addFloating(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.floating, "floating", imagetag.RuleForward,
		"how floating tags move: forward, to a newer version only; move, whatever they name; or keep")
	offer(cmd, "floating", imagetag.RuleForward, imagetag.RuleMove, imagetag.RuleKeep)
}

// addReferrers adds the flag of commands that push referrers of images.
func (f *flags) addReferrers(cmd *cobra.Command) {
	f.referrers = oci.ReferrersRequire
	choose(cmd, &f.referrers, "referrers", "what refers to images, but for evidence of the release: "+
		"require that registries take all of it; try, and leave out what a registry refuses; or none: send nothing",
		oci.ReferrersRequire, oci.ReferrersTry, oci.ReferrersNone)
}

// addClones adds the flag of commands that compare sources with their repositories.
func (f *flags) addClones(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.clones, "repository",
		nil, "git repository of a source: SOURCE=DIRECTORY, a clone by which the provenance proves the revision")
}

// addPlaces adds the flags for the locations of files.
func (f *flags) addPlaces(cmd *cobra.Command) {
	f.addStore(cmd)
	f.addOut(cmd)
}

// addOut adds the flag of commands that read or write the files of a release.
func (f *flags) addOut(cmd *cobra.Command) {
	dirFlag(cmd, &f.out, "out", "dist", "output directory, with the files of the release")
}

// addStore adds the flags of commands that need only the store, which may be next to slipway.yaml.
func (f *flags) addStore(cmd *cobra.Command) {
	f.addDescription(cmd)
	dirFlag(cmd, &f.store, "store", "", "directory of the store (default .slipway next to slipway.yaml)")
}

func (f *flags) addQuiet(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print only the result and errors")
}

func (f *flags) addJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
}

// askers are the commands that ask registries, or GitHub.
var askers = []string{
	"release", "merge", "shard fetch", "shard kubernetes", "shard tekton", "reproduce", "promote", "github-release",
	"plan", "doctor", "stage build", "check", "stage publish", "lint", "audit", "pin", "store clean", "cacheprog",
	"airgap push",
}

// addAuthorities adds the flag of commands that ask registries, which may have certificates of
// their own.
func (f *flags) addAuthorities(root *cobra.Command) {
	for _, words := range askers {
		cmd, _, err := root.Find(strings.Fields(words))
		if err != nil {
			panic(err) // a name above is not a command
		}
		fileFlag(cmd, &f.ca, "ca-file", "", "PEM file of certificate authorities to trust in addition to the system's "+
			"(those of $SSL_CERT_FILE, if it is set)", "pem", "crt")
	}
	root.PersistentPreRunE = func(*cobra.Command, []string) (err error) {
		if f.ca != "" {
			network.Default, err = network.TrustFile(f.ca)
		}
		return err
	}
}

// network returns the options for requests of a command, by its flags.
func (f *flags) network(cmd *cobra.Command) network.Options {
	return network.Options{Progress: f.printer(cmd)}
}

// paths returns what slipway writes, in this run or before it: the store, the output directory,
// what flags and arguments name, and plans of shards that are next to slipway.yaml or in this
// directory.
func (f *flags) paths() []string {
	all := append([]string{f.storeDir(), cmp.Or(f.out, "dist")}, f.made...)
	return append(all, shard.PlansIn(".", filepath.Dir(f.product))...)
}

// load reads the product that the flags name.
func (f *flags) load(ctx context.Context) (*product.Product, error) {
	o := product.Options{
		Path: f.product, Registries: f.registry, Version: f.version, Channel: f.channel, Floating: f.floating,
		Referrers: f.referrers,
		Platforms: f.platforms, Images: f.images, Repositories: f.clones, Made: f.paths(), Only: f.looks,
	}
	if w := f.work; w != nil {
		o.Rebuild = w.Rebuild
		release.Adopt(&o, w.Plan)
	}
	if f.shard != nil {
		if err := f.shard.Select(&o); err != nil {
			return nil, err
		}
	}
	return product.Load(ctx, o)
}

// allowed returns the findings of lint that slipway.yaml allows, if a flag names it.
func (f *flags) allowed(cmd *cobra.Command) ([]product.Allow, error) {
	if !cmd.Flags().Changed("product") {
		return nil, nil
	}
	p, err := f.load(cmd.Context())
	if err != nil {
		return nil, err
	}
	return p.Lint.Allow, nil
}

// begin reads the product of a long run and shows its version first.
func (f *flags) begin(cmd *cobra.Command) (*product.Product, *progress.Printer, error) {
	p, err := f.load(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	if f.rebuild && f.shard == nil && len(p.Selected) == 0 && len(assemble.Builders(p)) == 0 {
		return nil, nil, howto.Usage("-rebuild has no effect: no image of the product has dockerfile.builder")
	}
	if p.Snapshot() {
		err := idle(cmd, "in a snapshot, which sends nothing: name a registry with -registry", "referrers")
		if err != nil {
			return nil, nil, err
		}
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

// newPrinter shows progress on standard error, or nowhere with -q.
func (f *flags) newPrinter(cmd *cobra.Command) *progress.Printer {
	if f.quiet {
		return nil
	}
	return progress.New(cmd.ErrOrStderr())
}

// printer is newPrinter for the command itself: the progress ends before the result is printed.
func (f *flags) printer(cmd *cobra.Command) *progress.Printer {
	f.progress = f.newPrinter(cmd)
	return f.progress
}
