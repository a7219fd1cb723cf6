package lint

import (
	"path"
	"slices"
	"strings"
)

// process checks the settings of an image for Linux for the process of its containers. Runtimes
// ignore a word of Env without "=".
func (j *judging) process(n int) {
	c := j.index.Entries[n].Config
	if c == nil || c.OS != linux {
		return
	}
	if wd := c.Config.WorkingDir; wd != "" && !path.IsAbs(wd) {
		j.add("index-process", n, "the working directory is %.200q, which is not an absolute path of Linux", wd)
	}
	for _, word := range slices.Concat(c.Config.Entrypoint, c.Config.Cmd) {
		if strings.Contains(word, "\x00") {
			j.add("index-process", n, "the command has %.200q, with a byte 0, which ends a word", word)
		}
	}
	for _, e := range c.Config.Env {
		switch {
		case strings.HasPrefix(e, "="):
			j.add("index-process", n, "Env has %.200q, a variable without a name", e)
		case strings.Contains(e, "\x00") && strings.Contains(e, "="):
			j.add("index-process", n, "Env has %.200q, with a byte 0, which ends a variable", e)
		}
	}
}
