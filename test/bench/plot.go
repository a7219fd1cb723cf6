package main

import (
	"fmt"
	"html"
	"strings"
)

// The measures of a plot, in pixels. Names are above bars, so that no width of a font matters.
const (
	plotWidth = 720
	barWidth  = 520 // of the longest
	barHeight = 16
	rowHeight = 44
	plotTop   = 40
	margin    = 16
)

const plotStyle = `
text { font: 13px system-ui, sans-serif; fill: #1c2330 } .title { font-weight: 600; font-size: 14px }
.paper { fill: #fff; stroke: #d5dae2 } .ours { fill: #0b5cad } .theirs { fill: #9aa3b0 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e9ef } .paper { fill: #14181f; stroke: #39424f } .ours { fill: #5c9be0 } .theirs { fill: #6b7686 }
}
`

// plot draws the seconds of a comparison as bars, with their ratio to the first, which is
// slipway. Bars of slipway have a color. The plot has a background of its own in light and dark,
// because a forge may have another scheme than the system.
func plot(c recordedComparison) string {
	longest := 0.0
	for _, f := range c.Figures {
		longest = max(longest, f.Seconds)
	}
	height := plotTop + rowHeight*len(c.Figures) + margin/2
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="t d">
<title id="t">%[3]s</title>
<desc id="d">%[4]s</desc>
<style>%[5]s</style>
<rect class="paper" x="0.5" y="0.5" width="%[6]d" height="%[7]d" rx="6"/>
<text class="title" x="%[8]d" y="26">%[9]s</text>
`, plotWidth, height, html.EscapeString(c.Title), html.EscapeString(alternative(c)), plotStyle, plotWidth-1, height-1, margin, html.EscapeString(clip(c.Title, 90)))
	for n, f := range c.Figures {
		y, class, times := plotTop+rowHeight*n, "theirs", ""
		if n > 0 {
			times = " · " + ratio(f, c.Figures[0]) + " ×"
		}
		if strings.HasPrefix(f.Name, "slipway") {
			class = "ours"
		}
		width := 0.0
		if longest > 0 {
			width = max(2, barWidth*f.Seconds/longest)
		}
		fmt.Fprintf(&svg, "<text x=\"%d\" y=\"%d\">%s</text>\n", margin, y+12, html.EscapeString(clip(f.Name, 100)))
		fmt.Fprintf(&svg, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n",
			class, margin, y+18, width, barHeight)
		fmt.Fprintf(&svg, "<text x=\"%.1f\" y=\"%d\">%.2f s%s</text>\n", margin+width+8, y+30, f.Seconds, times)
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

// clip shortens a text to what a line of a plot has room for.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
