package debian

type Release struct {
	Suite, Codename, Origin, Label, Version string
	NotAutomatic, ButAutomaticUpgrades      bool
}
