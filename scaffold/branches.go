package scaffold

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// ofBranches reports whether a workflow runs for pushes to branches or by a clock, and for no tag
// or release.
func ofBranches(doc *yaml.Node) bool {
	push := yamlfile.Value(doc, "on", "push")
	if push == nil && yamlfile.Value(doc, "on", "schedule") != nil && yamlfile.Value(doc, "on", "release") == nil &&
		yamlfile.Value(doc, "on", "workflow_call") == nil {
		return true
	}
	return push != nil && yamlfile.Value(push, "branches") != nil && yamlfile.Value(push, "tags") == nil &&
		yamlfile.Value(doc, "on", "release") == nil
}

// parts are the nodes of a pipeline that have its commands: the jobs of GitLab, or all of it.
func parts(f string, doc *yaml.Node) (list []*yaml.Node) {
	if !strings.HasSuffix(f, ".gitlab-ci.yml") {
		return []*yaml.Node{doc}
	}
	for _, job := range pairs(doc) {
		list = append(list, job)
	}
	return list
}

// ofBranch reports whether a job of GitLab is for branches or merge requests, and for no tag.
func ofBranch(job *yaml.Node) bool {
	only := append(texts(job, "only"), texts(job, "only", "refs")...)
	branch := len(only) > 0
	for _, name := range only {
		if name == "tags" || strings.HasPrefix(name, "/") {
			return false
		}
	}
	for _, rule := range items(job, "rules") {
		condition := yamlfile.Text(rule, "if")
		if word(rule, "when") == "never" {
			continue
		}
		if !ofGitLab.MatchString(condition) || strings.Contains(condition, "CI_COMMIT_TAG") {
			return false
		}
		branch = true
	}
	return branch
}

// ofGitLab matches a condition that only branches and merge requests have.
var ofGitLab = lazyregexp.New(`CI_COMMIT_BRANCH|CI_MERGE_REQUEST|merge_request_event|"schedule"`)

// forBranch reports whether a job's condition is that of a branch or of a pull request alone.
func forBranch(condition string) bool {
	if noTag.MatchString(condition) || ofPulls.MatchString(condition) {
		return true
	}
	if ofOthers.MatchString(condition) {
		return false
	}
	branch := false
	for part := range strings.SplitSeq(condition, "||") {
		of := strings.Contains(part, "refs/heads/")
		if branch = branch || of; !of && !ofNobody.MatchString(part) {
			return false
		}
	}
	return branch
}

var (
	// noTag matches conditions that hold for no tag, whatever else they ask for.
	noTag = lazyregexp.New(`^[^|]*(?:startsWith\(github\.ref, ?'refs/tags/[^']*'\) (?:!= true|== false)|` +
		`!\s*startsWith\(github\.ref, ?'refs/tags/|github\.ref_type != 'tag')[^|]*$`)
	// ofPulls matches the condition that an event is that of a pull request, or of a clock.
	ofPulls = lazyregexp.New(`^[^|!]*github\.event_name == '(?:pull_request(?:_target)?|schedule)'[^|]*$`)
	// ofOthers matches conditions that may hold for tags and releases, too.
	ofOthers = lazyregexp.New(`!|refs/tags|'tag'|'release'|event\.release`)
	// ofNobody matches conditions for what nobody tags.
	ofNobody = lazyregexp.New(`workflow_dispatch|schedule`)
)
