package scaffold

import (
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// ofForge is what a forge knows of the repository.
func (d *Draft) ofForge() map[string]string {
	env := map[string]string{
		"github.ref_name": tagOfGit, "github.event.release.tag_name": tagOfGit, "github.workspace": ".",
		"github.sha": commitOfGit, "github.ref": "refs/tags/" + tagOfGit,
	}
	if u, ok := strings.CutPrefix(d.home(), "github.com/"); ok {
		env["github.repository"] = u
		env["github.repository_owner"], env["github.event.repository.name"], _ = strings.Cut(u, "/")
	}
	return env
}

// tagOfGit is the placeholder of the tag of git that a release is made of.
const tagOfGit = "{{.Tag}}"

// commitOfGit is the placeholder of its commit.
const commitOfGit = "{{.FullCommit}}"

// shellValues are the values of variables of a step's commands.
func (d *Draft) shellValues(step *yaml.Node, known map[string]string) map[string]string {
	all := map[string]string{}
	own := map[string]string{}
	scalars(yamlfile.Value(step, "env"), "env.", own)
	for _, from := range []map[string]string{known, own} {
		for key, v := range from {
			if name, ok := strings.CutPrefix(key, "env."); ok {
				all[name] = expression(v, known)
			}
		}
	}
	maps.Copy(all, d.ciValues())
	return all
}

// ciValues are variables that systems which build set, as far as the module tells them.
func (d *Draft) ciValues() map[string]string {
	all := map[string]string{}
	for _, name := range []string{"GITHUB_REF_NAME", "CI_COMMIT_TAG", "DRONE_TAG", "CIRCLE_TAG", "BUILDKITE_TAG"} {
		all[name] = tagOfGit
	}
	for _, name := range []string{
		"GITHUB_SHA", "CI_COMMIT_SHA", "DRONE_COMMIT_SHA", "CIRCLE_SHA1", "BUILDKITE_COMMIT",
	} {
		all[name] = commitOfGit
	}
	if u, ok := strings.CutPrefix(d.home(), "gitlab.com/"); ok {
		all["CI_REGISTRY_IMAGE"] = "registry.gitlab.com/" + strings.ToLower(u)
		all["CI_REGISTRY"] = "registry.gitlab.com"
	}
	if u, ok := strings.CutPrefix(d.home(), "github.com/"); ok {
		all["GITHUB_REPOSITORY"] = strings.ToLower(u)
		all["GITHUB_REPOSITORY_OWNER"], _, _ = strings.Cut(strings.ToLower(u), "/")
	}
	return all
}
