package product

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// channelFields is what the version template of a channel may use.
type channelFields struct {
	Version  string // without the template
	Revision string // the commit of slipway.yaml
	Date     string // of that commit, 20261121
}

var (
	channelNames = []string{"Version", "Revision", "Date"}
	commitPart   = lazyregexp.New(`\.(?:Revision|Date)\b`)
)

// chooseChannel takes the channel of that name, and lets its template change the version. With no
// name it takes the channel that lists the kind of the version, if one alone does. The version of a
// plan is what a channel has made of it, so that neither its kind nor a template matters.
func (c *checker) chooseChannel(ctx context.Context, name string) {
	c.checkChannels()
	kind, planned := versionKind(c.out.Version), c.out.VersionSource.From == FromPlan
	if name == "" {
		for i := range c.in.Channels {
			if kind == "" || !slices.Contains(c.in.Channels[i].Versions, kind) {
				continue
			}
			if c.channel != nil {
				c.channel = nil // the user has not said which
				return
			}
			c.channel = &c.in.Channels[i]
		}
	} else {
		c.channel = c.namedChannel(name, kind, planned)
	}
	if c.channel == nil || len(c.Errors) > 0 {
		return
	}
	c.out.Channel = c.channel.Name
	if !planned {
		c.channelVersion(ctx)
	}
}

// anyChannel takes the first channel, so that names with a channel in them can be formed. Any
// channel serves for that.
func (c *checker) anyChannel() {
	if len(c.in.Channels) > 0 {
		c.channel = &c.in.Channels[0]
		c.out.Channel = c.channel.Name
	}
}

// checkChannels checks what does not depend on the version of this run.
func (c *checker) checkChannels() {
	c.collect("channel", &c.in.Channels, each(c.in.Channels, func(ch *channelYAML) *string { return &ch.Name }),
		fileForm)
	for i := range c.in.Channels {
		ch := &c.in.Channels[i]
		c.once(ch.Versions)
		c.once(ch.FloatingTags)
		if ch.Version == "" {
			continue
		}
		text, err := expand(ch.Version, channelFields{"1.2.3", strings.Repeat("0", 40), "20000101"}, channelNames, nil)
		if err != nil {
			c.Errorf(&ch.Version, "%v", err)
		} else if why := VersionFault(text); why != "" {
			c.Errorf(&ch.Version, "version %q of channel %s yields %q, which %s", ch.Version, ch.Name, text, why)
		}
	}
}

// namedChannel returns the channel that -channel names, if it takes versions of that kind. With all
// the kind does not matter.
func (c *checker) namedChannel(name, kind string, all bool) *channelYAML {
	var names []string
	for i := range c.in.Channels {
		ch := &c.in.Channels[i]
		names = append(names, ch.Name)
		if ch.Name != name {
			continue
		}
		switch {
		case all || len(ch.Versions) == 0 || slices.Contains(ch.Versions, kind) || len(c.Errors) > 0:
			return ch
		case kind == "":
			c.Usage("-channel %s: it takes versions of the kind %s, and %s is not a semantic version: "+
				"use one such as 1.2.3, or another channel",
				name, strings.Join(ch.Versions, ", "), c.out.Version)
		default:
			c.Usage("-channel %s: it takes versions of the kind %s, and %s is of the kind %s: "+
				"use another channel or version",
				name, strings.Join(ch.Versions, ", "), c.out.Version, kind)
		}
		return nil
	}
	if len(names) == 0 {
		c.Usage("-channel %s: %s has no channels: add it under channels", name, c.Name)
	} else {
		c.Usage("-channel %s: unknown channel: %s", name, yamlfile.Suggest(name, names))
	}
	return nil
}

// channelVersion evaluates the version template of the channel.
func (c *checker) channelVersion(ctx context.Context) {
	in := &c.channel.Version
	if *in == "" {
		return
	}
	data := channelFields{Version: c.out.Version}
	if commitPart.MatchString(*in) {
		what := fmt.Sprintf("version of channel %s", c.channel.Name)
		h, err := c.history(ctx)
		if err != nil {
			c.Errorf(in, "%s: %v", what, err)
			return
		}
		c.noteChanges(h, what, c.Pos(in))
		data.Revision, data.Date = h.commit.Hash, h.commit.Time.Format("20060102")
	}
	text, err := expand(*in, data, channelNames, nil)
	if err == nil && c.changed != nil && !strings.Contains(text, changedSuffix) {
		text += changedSuffix
	}
	switch {
	case err != nil:
		c.Errorf(in, "%v", err)
	case VersionFault(text) != "":
		c.Errorf(in, "version %q of channel %s yields %q, which %s", *in, c.channel.Name, text, VersionFault(text))
	default:
		c.out.Version = text
	}
}

// floatingTags returns the templates of floating tags that hold in this run for an image of that
// version: its own, or else the channel's, or else those of all images.
func (c *checker) floatingTags(version string, in *imageYAML) []string {
	switch {
	case !c.floats(version):
		return nil
	case c.Given(&in.FloatingTags):
		return in.FloatingTags
	case c.channel != nil && c.Given(&c.channel.FloatingTags):
		return c.channel.FloatingTags
	}
	return c.in.Names.FloatingTags
}

// chartFloatingTags does so for a chart. A chart has only its own, which a channel's replace.
func (c *checker) chartFloatingTags(version string, in *chartYAML) []string {
	switch {
	case len(in.FloatingTags) == 0 || !c.floats(version):
		return nil
	case c.channel != nil && c.Given(&c.channel.FloatingTags):
		return c.channel.FloatingTags
	}
	return in.FloatingTags
}

// floats reports whether an image or chart of that version has floating tags in this run. Without a
// channel, prereleases and pseudo-versions float no tags. For a version that is not semantic,
// publish decides by time.
func (c *checker) floats(version string) bool {
	for _, v := range []string{c.out.Version, version} {
		if kind := versionKind(v); c.channel == nil && (kind == kindPrerelease || kind == kindCommit) {
			return false
		}
	}
	return true
}

// floating takes the rule that -floating names.
func (c *checker) floating(rule string) {
	if err := imagetag.CheckRule(rule); err != nil {
		c.Usage("%s", err)
	} else if rule != imagetag.RuleForward {
		c.out.Floating = rule
	}
}
