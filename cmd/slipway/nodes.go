package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
)

func newNodes(f *flags) *cobra.Command {
	var manifest, lockFile, file string
	var values []string
	var cluster nodes.Cluster
	cmd := &cobra.Command{
		Use:   "nodes [CHART ...]",
		Short: "Report which nodes run a release's pods and images, and why the others do not",
		Long: `Nodes compares every pod template in release.yaml and every image in release.lock.json with
the nodes of a cluster: operating system, architecture, Windows build, taints and tolerations,
node selectors, required affinity, and resource requests. It ignores what changes all the
time, such as free capacity, ports and volumes. kpack's Image and Build count as pods.

The pods of the release's charts, whose archives are beside the lock, count with the charts' own
values or those of -values. Charts that are named, each a directory with a Chart.yaml or a .tgz,
take their place.

The nodes are those of the cluster that kubectl uses, or with -nodes those in the output of
"kubectl get nodes -o json".

Exit codes: 0 if every pod and image has a node that can run it, 3 if one has none, 1 if
something could not be read or a chart is not there, 2 for a mistake in the command line.`,
		Example: `  slipway nodes -release=dist/release.yaml
  kubectl get nodes -o json | slipway nodes -release=dist/release.yaml -nodes=- -json
  slipway nodes -release=dist/release.yaml -lock=dist/release.lock.json -kubeconfig=staging.yaml -context=windows
  slipway nodes -values=windows.yaml dist/app-1.0.0.tgz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if file != "" && (cluster.Kubeconfig != "" || cluster.Context != "") {
				return usageError{errors.New("-nodes reads a file, -kubeconfig and -context a cluster: leave one of them out")}
			}
			if manifest == "-" && file == "-" {
				return usageError{errors.New("-release and -nodes both read standard input: name a file for one of them")}
			}
			if lockFile == "" {
				lockFile = filepath.Join(filepath.Dir(manifest), lock.Name)
			}
			l, err := lock.ReadGiven(lockFile)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%w: name the lock of the release with -lock", err)
			}
			if err != nil {
				return err
			}
			sources, unknown, err := nodeCharts(cmd, args, values, l, filepath.Dir(lockFile))
			if err != nil {
				return err
			}
			objects, err := workload.ReadFile(manifest)
			switch {
			case errors.Is(err, fs.ErrNotExist) && len(sources) > 0 && !cmd.Flags().Changed("release"): // there are charts only
				if sums, err := evidence.Sums(filepath.Dir(lockFile)); err == nil && sums[release.Manifest] != "" && len(args) == 0 {
					unknown = append(unknown, fmt.Sprintf("%s is not judged: it is not there: name it with -release", manifest))
				}
			case err != nil:
				return err
			default:
				sources = append([]nodes.Source{{Objects: objects}}, sources...)
			}
			list, err := listNodes(cmd, file, cluster)
			if err != nil {
				return err
			}
			r := nodes.Check(sources, l, list)
			r.Unknown = unknown
			errs := r.Unmet()
			for _, what := range unknown {
				errs = append(errs, errors.New(what))
			}
			return errors.Join(f.show(cmd, r), errors.Join(errs...))
		},
	}
	cmd.Flags().StringVar(&manifest, "release", filepath.Join("dist", release.Manifest), "the release's manifest; - is standard input")
	cmd.Flags().StringVar(&lockFile, "lock", "", "the release's lock (default release.lock.json beside the manifest)")
	cmd.Flags().StringSliceVar(&values, "values", nil, "files of values for charts; later ones replace values of those before")
	cmd.Flags().StringVar(&file, "nodes", "", "a file from kubectl get nodes -o json, instead of a cluster; - is standard input")
	cmd.Flags().StringVar(&cluster.Kubeconfig, "kubeconfig", "", "the kubeconfig of the cluster (default the one that kubectl uses)")
	cmd.Flags().StringVar(&cluster.Context, "context", "", "the kubeconfig's context (default the current one)")
	cmd.MarkFlagFilename("release", "yaml", "yml") //nolint:errcheck // fails only where the flag is missing
	cmd.MarkFlagFilename("lock", "json")           //nolint:errcheck // as above
	cmd.MarkFlagFilename("nodes", "json")          //nolint:errcheck // as above
	f.addJSON(cmd)
	return cmd
}

// nodeCharts renders charts: those that are named, or those of the lock in its directory. Those of
// the lock that are not there are unknown.
func nodeCharts(cmd *cobra.Command, paths, valueFiles []string, l *lock.Lock, dir string) (sources []nodes.Source, unknown []string, err error) {
	if len(paths) == 0 {
		for _, c := range l.Charts {
			path := filepath.Join(dir, c.File.Name)
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				unknown = append(unknown, fmt.Sprintf("chart %s is not judged: %s is not there: name the chart", c.Name, path))
				continue
			}
			paths = append(paths, path)
		}
	}
	values, err := readValues(valueFiles)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		c, file, err := renderChart(cmd.Context(), path, values)
		if err != nil {
			return nil, nil, err
		}
		objects, err := workload.Read(file.Name, file.Text)
		if err != nil {
			return nil, nil, fmt.Errorf("what chart %s makes: %w", path, err)
		}
		sources = append(sources, nodes.Source{Chart: c.Name(), Objects: objects, Origin: file.Origin})
	}
	return sources, unknown, nil
}

func listNodes(cmd *cobra.Command, file string, c nodes.Cluster) ([]nodes.Node, error) {
	if file != "" {
		return nodes.ReadFile(file)
	}
	info, _ := debug.ReadBuildInfo()
	c.UserAgent = "slipway/" + describe(version, revision, info).Version
	return nodes.List(cmd.Context(), c)
}
