package distribution

// All are the distributions, by their IDs.
var All = []Distribution{
	{
		ID: "almalinux", Name: "AlmaLinux", Source: "https://wiki.almalinux.org/release-notes/",
		Releases: []Release{{"10", "", "2035-05-31", ""}, {"9", "", "2032-05-31", ""}, {"8", "", "2029-05-31", ""}},
	},
	{
		ID: "alpine", Name: "Alpine", Source: "https://alpinelinux.org/releases/",
		Releases: []Release{
			{"3.24", "", "2028-06-01", ""},
			{"3.23", "", "2027-11-01", ""},
			{"3.22", "", "2027-05-01", ""},
			{"3.21", "", "2026-11-01", ""},
			{"3.20", "", "2026-04-01", ""},
			{"3.19", "", "2025-11-01", ""},
			{"3.18", "", "2025-05-09", ""},
			{"3.17", "", "2024-11-22", ""},
			{"3.16", "", "2024-05-23", ""},
			{"3.15", "", "2023-11-01", ""},
			{"3.14", "", "2023-05-01", ""},
			{"3.13", "", "2022-11-01", ""},
			{"3.12", "", "2022-05-01", ""},
			{"3.11", "", "2021-11-01", ""},
			{"3.10", "", "2021-05-01", ""},
			{"3.9", "", "2020-11-01", ""},
			{"3.8", "", "2020-05-01", ""},
		},
	},
	{
		ID: "amzn", Name: "Amazon Linux", Source: "https://aws.amazon.com/amazon-linux-2/faqs/",
		Releases: []Release{{"2023", "", "2029-06-30", ""}, {"2", "", "2026-06-30", ""}},
		images:   []string{"amazonlinux"},
	},
	{
		ID: "azurelinux", Name: "Azure Linux",
		Source:   "https://learn.microsoft.com/azure/azure-linux/release-cadence-lifecycle",
		Releases: []Release{{"3.0", "", "2027-08-31", ""}},
	},
	{
		ID: "centos", Name: "CentOS Stream", Source: "https://www.centos.org/cl-vs-cs/#end-of-life",
		Releases: []Release{{"10", "", "2030-05-31", ""}, {"9", "", "2027-05-31", ""}, {"8", "", "2024-05-31", ""}},
	},
	{ID: "chainguard", Name: "Chainguard OS", Source: "https://edu.chainguard.dev/"},
	{
		// the last two days are those of LTS: https://wiki.debian.org/LTS
		ID: "debian", Name: "Debian", Source: "https://www.debian.org/releases/",
		Releases: []Release{
			{"13", "trixie", "2028-08-09", "2030-06-30"},
			{"12", "bookworm", "2026-06-10", "2028-06-30"},
			{"11", "bullseye", "2024-08-14", "2026-08-31"},
			{"10", "buster", "2022-09-10", "2024-06-30"},
			{"9", "stretch", "2020-07-18", "2022-07-01"},
			{"8", "jessie", "2018-06-17", "2020-06-30"},
		},
	},
	{
		ID: "fedora", Name: "Fedora", Source: "https://docs.fedoraproject.org/en-US/releases/lifecycle/",
		Releases: []Release{
			{"44", "", "2027-06-02", ""},
			{"43", "", "2026-12-09", ""},
			{"42", "", "2026-05-27", ""},
			{"41", "", "2025-12-15", ""},
			{"40", "", "2025-05-13", ""},
			{"39", "", "2024-11-26", ""},
			{"38", "", "2024-05-21", ""},
			{"37", "", "2023-12-05", ""},
			{"36", "", "2023-05-16", ""},
		},
	},
	{
		ID: "mariner", Name: "CBL-Mariner",
		Source:   "https://learn.microsoft.com/azure/azure-linux/release-cadence-lifecycle",
		Releases: []Release{{"2.0", "", "2025-07-31", ""}, {"1.0", "", "2023-08-31", ""}},
	},
	{
		ID: "opensuse-leap", Name: "openSUSE Leap", Source: "https://en.opensuse.org/Lifetime",
		Releases: []Release{
			{"16.0", "", "2027-10-31", ""},
			{"15.6", "", "2026-04-30", ""},
			{"15.5", "", "2024-12-31", ""},
			{"15.4", "", "2023-12-07", ""},
			{"15.3", "", "2022-12-31", ""},
		},
		images: []string{"leap"},
	},
	{ID: "opensuse-tumbleweed", Name: "openSUSE Tumbleweed", Source: "https://get.opensuse.org/tumbleweed/"},
	{
		ID: "rhel", Name: "Red Hat Enterprise Linux", Source: "https://access.redhat.com/support/policy/updates/errata",
		Releases: []Release{
			{"10", "", "2035-05-31", ""},
			{"9", "", "2032-05-31", ""},
			{"8", "", "2029-05-31", ""},
			{"7", "", "2024-06-30", ""},
		},
		images: []string{"ubi"},
	},
	{
		ID: "rocky", Name: "Rocky Linux", Source: "https://wiki.rockylinux.org/rocky/version/",
		Releases: []Release{{"10", "", "2035-05-31", ""}, {"9", "", "2032-05-31", ""}, {"8", "", "2029-05-31", ""}},
		images:   []string{"rockylinux"},
	},
	{
		ID: "sles", Name: "SUSE Linux Enterprise Server", Source: "https://www.suse.com/lifecycle",
		Releases: []Release{
			{"16.0", "", "2027-11-30", ""},
			{"15.7", "", "2031-07-31", ""},
			{"15.6", "", "2025-12-31", ""},
			{"15.5", "", "2024-12-31", ""},
			{"15.4", "", "2023-12-31", ""},
			{"15.3", "", "2022-12-31", ""},
			{"15.2", "", "2021-12-31", ""},
			{"12.5", "", "2024-10-31", ""},
		},
	},
	{
		ID: "ubuntu", Name: "Ubuntu", Source: "https://ubuntu.com/about/release-cycle",
		Releases: []Release{
			{"26.04", "resolute", "2031-04-30", ""},
			{"25.10", "questing", "2026-07-01", ""},
			{"25.04", "plucky", "2026-01-17", ""},
			{"24.10", "oracular", "2025-07-10", ""},
			{"24.04", "noble", "2029-05-31", ""},
			{"23.10", "mantic", "2024-07-12", ""},
			{"22.04", "jammy", "2027-04-01", ""},
			{"20.04", "focal", "2025-05-31", ""},
			{"18.04", "bionic", "2023-05-31", ""},
			{"16.04", "xenial", "2021-04-02", ""},
		},
	},
	{ID: "wolfi", Name: "Wolfi", Source: "https://edu.chainguard.dev/open-source/wolfi/"},
}
