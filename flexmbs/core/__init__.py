"""The ground floor of flexmbs: what every other room stands on and which imports nothing from them."""
