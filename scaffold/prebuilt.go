package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// needsMachine matches the message of the check about an instruction that runs on the image's
// system only.
var needsMachine = lazyregexp.New(`needs a machine of the image's system|no command is run here`)

// suggest asks how an image is made whose Linux half is not carried out here: by the product's own
// builder, during the release or before. changed reports whether somebody has answered.
func (d *Draft) suggest(i *image, f fault) (changed bool) {
	if !needsMachine.MatchString(f.text) || !strings.HasPrefix(f.platform, platform.Linux+"/") || i.byOthers != "" {
		return false
	}
	var p *part
	for _, one := range i.parts {
		if one.os == platform.Linux {
			p = one
		}
	}
	key := "images[" + i.name + "].dockerfile.builder"
	if d.isAsked(key) {
		return false
	}
	var all []claim
	for _, value := range []string{"builder: docker", fmt.Sprintf("prebuilt: {linux: %q}", "oci:build/"+i.name)} {
		all = append(all, claim{value: value, rank: develops})
		for _, b := range p.builds {
			all = append(all, claim{value, develops, b.at})
		}
	}
	answer := d.decide(key, fmt.Sprintf("what makes %s for Linux, since %s:%d needs a machine of its system: "+
		"builder: docker below dockerfile, or prebuilt below the image, after %s", i.name, f.file, f.line,
		d.recipe(i, p)), all)
	if d.isAsked(key) {
		return false
	}
	i.byOthers = answer
	maps.DeleteFunc(p.outputs, func(at, _ string) bool { return strings.Contains(at, ":") })
	return true
}

// recipe is the command that makes the Linux half of an image as a layout, by the builder that the
// repository uses.
func (d *Draft) recipe(i *image, p *part) string {
	output := "type=oci,tar=false,dest=build/" + i.name
	for _, b := range p.builds {
		if b.bake != "" {
			return fmt.Sprintf("docker buildx bake -f %s --set '*.output=%s' %s", b.at.file, output, b.bake)
		}
	}
	command := fmt.Sprintf("docker buildx build --platform %s --output %s -f %s",
		strings.Join(d.linux(), ","), output, p.from.path)
	if p.target != "" && !strings.Contains(p.target, "{{") {
		command += " --target " + p.target
	}
	for _, name := range sortedKeys(p.args) {
		if v := shownVersion.Replace(p.args[name]); !strings.Contains(v, "{{") {
			command += fmt.Sprintf(" --build-arg %s=%s", name, v)
		}
	}
	return command + " " + cmp.Or(path.Clean(p.context), ".")
}
